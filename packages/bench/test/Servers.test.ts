/** Servers that do not do the expected work are errors. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { Batch } from "../src/Comparison.ts"
import * as Servers from "../src/Servers.ts"

const document = { path: "/document", body: "{\"value\":42}" }

const bodies = { [document.path]: document.body }

const [misses, hits] = [Servers.cacheMisses(), Servers.cacheHits]

/** Measures reference servers in front of one upstream. Returns the batches, or the message of the error. */
const run = (
  servers: ReadonlyArray<readonly [server: string, pattern: Servers.LoadPattern, expected?: string]>
) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const upstream = yield* Servers.startUpstream({ bodies })
    return yield* Effect.forEach(servers, ([server, pattern, body = document.body]) =>
      Effect.gen(function*() {
        const reference = yield* Servers.startReference(server, {
          server,
          upstreamUrl: upstream.baseUrl,
          bodies,
          headers: { "content-type": "application/json" }
        })
        const { run } = Servers.subjectsWith({ ...document, body }, pattern, upstream)(reference)
        const batches: ReadonlyArray<Batch> = [yield* run(1), yield* run(500)]
        return batches
      }).pipe(Effect.catchAllDefect((defect) => Effect.succeed(String(defect)))))
  })))

const linux = it.runIf(process.platform === "linux")

linux("reference servers send as many upstream requests as expected", async () => {
  const all = await run([["pipe", misses], ["fastifyProxy", misses], ["buffer", hits], [
    "fastifyBuffer",
    hits
  ]])
  const cost = expect.any(Number)
  expect(all).toEqual(all.map(() => [{ records: 1, cost }, { records: 500, cost }]))
})

linux("another number of upstream requests or another document is an error", async () => {
  expect(await run([["pipe", hits], ["buffer", misses], ["buffer", hits, "{\"value\":43}"]])).toEqual([
    expect.stringContaining("pipe sent 500 upstream requests for 500 requests, expected 0 to 6"),
    expect.stringContaining("buffer sent 0 upstream requests for 1 requests, expected 1"),
    expect.stringContaining("buffer: unexpected response 200")
  ])
})

it("an upstream with faults fails in several ways", async () => {
  const outcomes = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const upstream = yield* Servers.startUpstream({ bodies, faults: 1 })
    const outcome = Effect.promise(() =>
      fetch(upstream.baseUrl + document.path).then(
        async (response) => `${response.status} ${await response.text().catch(() => "cut")}`,
        () => "no response"
      )
    )
    return yield* Effect.replicateEffect(outcome, 100)
  })))
  expect(new Set(outcomes).size).toBeGreaterThan(4)
})
