/** Exports of many inputs that are interrupted and continued. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PartLimits } from "../../src/export/ExportPlan.ts"
import { memory, partLimits, temporaryFolder } from "../support/exports.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"

const ledger = Ledger.make({ seed: 1, scale: 600 })
const { busyWallet, wallet } = ledger.examples

it.live("write the same file as without the interruptions", () =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger })
    const inner = Sandbox.httpClient(sandbox)
    const folder = temporaryFolder(memory)
    const from = join(folder, "in.txt")
    writeFileSync(from, [wallet, busyWallet, "0x12", busyWallet, wallet].join("\n"))
    const run = (file: string, client: HttpClient.HttpClient) =>
      quarry(
        ["wallet", "transfers", "--from", from, "--max-items", "590", "--resume", "--to", file],
        { client, env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" } }
      ).pipe(Effect.provideService(PartLimits, partLimits))
    const undisturbed = join(folder, "undisturbed.csv")
    expect((yield* run(undisturbed, inner)).code).toBe(8)
    const requests = (yield* sandbox.recordedRequests).length
    const disturbed = join(folder, "disturbed.csv")
    // The last interruption comes after the first part
    for (const share of [0.2, 0.6, 0.95]) {
      let left = Math.floor(requests * share)
      let interrupt: Effect.Effect<void> = Effect.void
      const client = HttpClient.make((request) =>
        --left === 0 ? Effect.zipRight(Effect.forkDaemon(interrupt), Effect.never) : inner.execute(request)
      )
      const fiber = yield* Effect.fork(run(disturbed, client))
      interrupt = Effect.asVoid(Fiber.interrupt(fiber))
      yield* Fiber.await(fiber)
    }
    yield* sandbox.clearRecordedRequests
    expect((yield* run(disturbed, inner)).code).toBe(8)
    expect((yield* sandbox.recordedRequests).length).toBeLessThan(requests / 2)
    expect(readFileSync(disturbed).equals(readFileSync(undisturbed))).toBe(true)
    const again = yield* run(disturbed, inner)
    expect([again.code, again.err]).toEqual([
      8,
      expect.stringContaining(`${disturbed} is complete\nerror: 1 of 5 inputs failed\n`)
    ])
    writeFileSync(from, [busyWallet, wallet].join("\n"))
    expect(yield* run(disturbed, inner)).toMatchObject({
      code: 2,
      err: expect.stringContaining("other inputs")
    })
  }))

it.live("from stdin continue only with the same stdin", () =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger })
    const inner = Sandbox.httpClient(sandbox)
    let left = Infinity
    const client = HttpClient.make((request) =>
      --left < 0
        ? Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}", { status: 401 })))
        : inner.execute(request)
    )
    const folder = temporaryFolder(memory)
    const [file, whole] = [join(folder, "prices.csv"), join(folder, "whole.csv")]
    const run = (to: string, inputs: ReadonlyArray<string>, options: ReadonlyArray<string> = []) =>
      quarry(["wallet", "transfers", "-", "--max-items", "150", "--to", to, "--resume", ...options], {
        client,
        stdin: inputs.join("\n"),
        env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none" }
      })
    const inputs = [wallet, busyWallet]
    yield* run(whole, inputs)
    left = 3
    const failed = yield* run(file, inputs, ["--concurrency", "1"])
    left = Infinity
    expect(failed.code).toBe(4)
    expect(failed.err).toMatch(
      /\(all saved\); pass the same stdin, and continue with\nquarry .* - .*--resume/
    )
    const requests = (yield* sandbox.recordedRequests).length
    const other = yield* run(file, [wallet, wallet])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("another query (other inputs)")])
    expect(yield* sandbox.recordedRequests).toHaveLength(requests)
    expect((yield* run(file, inputs)).code).toBe(0)
    expect(readFileSync(file, "utf8")).toBe(readFileSync(whole, "utf8"))
    expect((yield* run(file, [...inputs, wallet])).code).toBe(2)
  }))
