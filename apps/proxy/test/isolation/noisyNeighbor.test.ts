/** One client behaves badly: the other clients see no failure, and their requests are not stuck behind those of that client. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { type HttpResult, sendRequest } from "../support/proxy.ts"
import { type Misbehavior, misbehaviors } from "./support/misbehavior.ts"
import { paths, type SharedProxy, start, tokens } from "./support/sharedProxy.ts"

/** `.ci/full` runs the long version. */
const scale = isFull ? 4 : 1

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

const request = ({ port }: SharedProxy, path: string, token: string) =>
  Effect.map(sendRequest(port, path, { headers: { "x-api-key": token } }), outcomeOf)

/** Sends a request, and counts the requests of the noisy client that end before it. */
const cachedRequest = (proxy: SharedProxy) =>
  Effect.suspend(() => {
    const before = proxy.noisyServed()
    return Effect.map(request(proxy, paths.cached, tokens.cached), (outcome) => ({
      outcome,
      overtaking: proxy.noisyServed() - before
    }))
  })

/** Sends a request, and counts the noisy upstream requests that were sent after it was made, but before it was sent. */
const uncachedRequest = (proxy: SharedProxy, index: number) =>
  Effect.gen(function*() {
    const before = proxy.noisySent()
    const path = paths.uncached(index)
    const outcome = yield* request(proxy, path, tokens.uncached)
    const own = proxy.upstream.requests().findIndex((sent) => sent.includes(path))
    return { outcome, overtaking: proxy.noisySent(own) - before }
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

/** Returns the outcomes as a set, in JSON. */
const outcomes = (results: ReadonlyArray<{ readonly outcome: Outcome }>): ReadonlySet<string> =>
  new Set(results.map(({ outcome }) => JSON.stringify(outcome)))

const check = ({ maxOvertaking, options, start: misbehave }: Misbehavior) =>
  Effect.gen(function*() {
    const proxy = yield* start(options)
    yield* cachedRequest(proxy)
    yield* misbehave(proxy, scale)
    const { cached, uncached } = yield* wellBehaved(proxy)
    expect(outcomes(cached)).toEqual(new Set([JSON.stringify(hit)]))
    expect(outcomes(uncached)).toEqual(new Set([JSON.stringify(miss)]))
    const max = maxOvertaking(scale)
    expect(Math.max(...cached.map(({ overtaking }) => overtaking))).toBeLessThanOrEqual(max.cached)
    expect(Math.max(...uncached.map(({ overtaking }) => overtaking))).toBeLessThanOrEqual(max.uncached)
  })

for (const misbehavior of misbehaviors) {
  it.scopedLive(
    `two clients get correct responses while a third ${misbehavior.name}`,
    () => check(misbehavior)
  )
}
