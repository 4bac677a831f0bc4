/** The programs of docs/testing.md do what the document says. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const document = readFileSync(new URL("../../../docs/testing.md", import.meta.url), "utf8")

/** Imports the program of the document that exports a name. */
const program = async (name: string): Promise<unknown> => {
  const [, code = ""] = [...document.matchAll(/^```ts\n([^]*?)^```$/gm)]
    .find(([, code = ""]) => code.includes(`export const ${name} =`)) ?? []
  const folder = mkdtempSync(fileURLToPath(new URL("../.document-", import.meta.url)))
  try {
    const file = join(folder, "program.ts")
    writeFileSync(file, code)
    const exported: Readonly<Record<string, unknown>> = await import(file)
    return exported[name]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const address = "0x1111111111111111111111111111111111111111"

const isDataApiLayer = (value: unknown): value is Layer.Layer<DataApi.DataApi> => Layer.isLayer(value)

const isProgram = (
  value: unknown
): value is Effect.Effect<number, unknown, DataApi.DataApi | Sandbox.Sandbox> => Effect.isEffect(value)

describe("docs/testing.md", () => {
  it("replaces single operations", async () => {
    const layer = await program("TestDataApi")
    if (!isDataApiLayer(layer)) return expect.unreachable()
    const calls = Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      const price = yield* data.tokenPrice({ address })
      return { price, transfers: yield* Stream.runCollect(data.walletTransfers.items({ address })) }
    })
    const { price, transfers } = await Effect.runPromise(Effect.provide(calls, layer))
    expect(price).toMatchObject({ usdPrice: 1.5, tokenSymbol: "QUSD" })
    expect([...transfers]).toEqual([expect.objectContaining({ value: 5n, token_symbol: "QUSD" })])
  })

  it("uses the sandbox, and injects faults", async () => {
    const layer = await program("SandboxDataApi")
    const requests = await program("requestsOfACall")
    if (!isDataApiLayer(layer) || !isProgram(requests)) return expect.unreachable()
    const price = Effect.flatMap(
      DataApi.DataApi,
      (data) => data.tokenPrice({ address: Ledger.make({ seed: 7 }).examples.token })
    )
    expect(await Effect.runPromise(Effect.provide(price, layer))).toMatchObject({ tokenSymbol: "QUSD" })
    const sandbox = DataApi.layer({ baseUrl: Sandbox.baseUrls.data, apiKey: Redacted.make(Sandbox.apiKey) })
      .pipe(
        Layer.provideMerge(Sandbox.layer({ seed: 7 }))
      )
    expect(await Effect.runPromise(Effect.provide(requests, sandbox))).toBe(3)
  })
})
