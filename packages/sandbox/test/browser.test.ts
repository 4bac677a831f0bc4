/** The in-process sandbox needs only what browsers have. `scripts/consumers.mjs` runs it in Chromium. */
import { expect, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import { rolldown } from "rolldown"

const program = `
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"

const firstPage = Effect.gen(function*() {
  const { ledger } = yield* Sandbox.Sandbox
  const get = (query) =>
    HttpClient.get(Sandbox.baseUrls.data + "/api/v2.2/" + ledger.examples.wallet + "/erc20/transfers" + query, {
      headers: { "x-api-key": Sandbox.apiKey }
    }).pipe(Effect.flatMap((response) => response.json))
  const first = yield* get("?limit=2")
  const second = yield* get("?limit=2&cursor=" + first.cursor)
  return [...first.result, ...second.result].map((transfer) => transfer.transaction_hash)
})

done(Effect.runPromise(Effect.provide(firstPage, Sandbox.layer({ seed: 7, scale: 100 }))))
`

/** Globals of browsers that programs of Node.js also have. */
const webGlobals = [
  "AbortController",
  "Headers",
  "ReadableStream",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "clearTimeout",
  "console",
  "crypto",
  "performance",
  "queueMicrotask",
  "setTimeout",
  "structuredClone"
] as const

it("runs without Node.js", async () => {
  const entry = fileURLToPath(new URL("browser.program.js", import.meta.url))
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    resolve: { conditionNames: ["@blockquarry/source", "browser", "import", "default"] },
    onLog: (level, { message }) => expect.fail(`${level}: ${message}`),
    plugins: [{
      name: "program",
      resolveId: (id) => id === entry ? id : null,
      load: (id) => id === entry ? program : null
    }]
  })
  const { output: [chunk] } = await bundle.generate({ format: "iife" })
  await bundle.close()
  const hashes = await new Promise<unknown>((resolve) => {
    const globals = Object.fromEntries(webGlobals.map((name) => [name, globalThis[name]]))
    runInContext(chunk.code, createContext({ ...globals, done: resolve }))
  })
  expect(hashes).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^0x[0-9a-f]{64}$/)))
  expect(new Set(Object.values(Object(hashes))).size).toBeGreaterThan(1)
})
