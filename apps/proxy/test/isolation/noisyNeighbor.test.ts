/** One client behaves badly: the other clients see no failure, and their requests are not stuck behind those of that client. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type HttpResult, sendRequest } from "../support/proxy.ts"
import { type Misbehavior, misbehaviors } from "./support/misbehavior.ts"
import { paths, type SharedProxy, start, tokens } from "./support/sharedProxy.ts"

/** `.ci/full` runs the long version. */
const scale = process.env["QUARRY_LONG_TESTS"] === "1" ? 4 : 1

const requestsPerClient = 20 * scale ** 2

interface Outcome {
  readonly status: number
  /** Of errors. */
  readonly body: string
  readonly cacheStatus: string
}

const outcomeOf = ({ headers, status, text }: HttpResult): Outcome => ({
  status,
  body: status === 200 ? "" : text.replace(/"requestId":.*/, ""),
  cacheStatus: String(headers["cache-status"]).replace(/ttl=\d+/, "ttl")
})

const cachedRequest = ({ port }: SharedProxy) =>
  Effect.map(sendRequest(port, paths.cached, { headers: { "x-api-key": tokens.cached } }), outcomeOf)

/** Sends a request, and counts the noisy upstream requests that were sent after it was made, but before it was sent. */
const uncachedRequest = ({ noisyRequests, port, upstream }: SharedProxy, index: number) =>
  Effect.gen(function*() {
    const before = noisyRequests()
    const outcome = outcomeOf(
      yield* sendRequest(port, paths.uncached(index), { headers: { "x-api-key": tokens.uncached } })
    )
    const requests = upstream.requests()
    const own = requests.findIndex((request) => request.includes(paths.uncached(index)))
    return { outcome, overtaken: noisyRequests(own) - before }
  })

const wellBehaved = (proxy: SharedProxy) =>
  Effect.all({
    cached: Effect.forEach(Array.from({ length: requestsPerClient }), () => cachedRequest(proxy), {
      concurrency: 2
    }),
    uncached: Effect.forEach(
      Array.from({ length: requestsPerClient }),
      (_, index) => uncachedRequest(proxy, index),
      { concurrency: 2 }
    )
  }, { concurrency: 2 })

const hit: Outcome = { status: 200, body: "", cacheStatus: "quarry-proxy; hit; ttl" }

const miss: Outcome = { status: 200, body: "", cacheStatus: "quarry-proxy; fwd=miss" }

const check = ({ maxOvertaking = Number.POSITIVE_INFINITY, options, start: misbehave }: Misbehavior) =>
  Effect.gen(function*() {
    const proxy = yield* start(options)
    yield* cachedRequest(proxy)
    yield* misbehave(proxy, scale)
    const { cached, uncached } = yield* wellBehaved(proxy)
    expect(new Set(cached.map((outcome) => JSON.stringify(outcome)))).toEqual(new Set([JSON.stringify(hit)]))
    expect(new Set(uncached.map(({ outcome }) => JSON.stringify(outcome)))).toEqual(
      new Set([JSON.stringify(miss)])
    )
    expect(Math.max(...uncached.map(({ overtaken }) => overtaken))).toBeLessThanOrEqual(
      maxOvertaking
    )
  })

for (const misbehavior of misbehaviors) {
  it.scopedLive(
    `two clients get correct responses while a third ${misbehavior.name}`,
    () => check(misbehavior),
    scale * 60_000
  )
}
