/**
 * One client behaves badly, in the ways of the isolation benchmark: the other clients see no failure, and do not wait behind it
 * for the rate limit of the API key. The benchmark measures how long they wait.
 */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Bench from "../../../../packages/bench/src/isolation/Misbehavior.ts"
import { isFull, sample } from "../../../../packages/core/test/support/sample.ts"
import { makeClock } from "../../../../packages/http/test/faults/support/CustomClock.ts"
import { defaults } from "../../src/config/Config.ts"
import * as Harness from "../hostile/harness.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { type HttpResult, openAdmin, sendRequest, testClient } from "../support/proxy.ts"

const paths = { cached: `/api/v2.2/nft/0x${"1".repeat(40)}/1`, uncached: Bench.pathOf("2") }

const nft = JSON.stringify({ token_address: `0x${"1".repeat(40)}`, token_id: "1" })

/** Small limits, so that a few requests reach them. */
const limits = {
  ...defaults.limits,
  maxConcurrentRequests: 64,
  maxListsPerClient: 4,
  maxBufferedBytes: 32 * 1024 * 1024,
  sendIdleTimeout: Duration.seconds(10)
}

const isNoisy = (target: string): boolean => !Object.values(paths).some((path) => target.startsWith(path))

const page = (result: string, cursor: string): string =>
  `{"result":[${result}],"cursor":"${cursor}","page":0,"page_size":100}`

/** A transfer of 1 MiB. */
const large = JSON.stringify({
  transaction_hash: `0x${"12".repeat(32)}`,
  block_number: 7,
  value: "5",
  token_name: "x".repeat(1024 * 1024)
})

const startShared = (noisyRateLimit: string | undefined, rateLimit = RateLimit.none) =>
  Effect.gen(function*() {
    const proxy = yield* Harness.start({
      upstream: {
        maxConcurrentRequests: 16,
        keys: [
          { ...Harness.keyOf("key", "upstream-key", ["data"]), rateLimit },
          Harness.keyOf("others", "other-key", ["streams"])
        ]
      },
      config: {
        admin: openAdmin,
        cache: defaults.cache,
        // The response of the client with cached responses stays cached, however long a test takes
        policies: [{
          name: "nftMetadata",
          timeouts: {},
          retry: {},
          cache: { ttl: Duration.days(365), respectMaxAge: false, ignoreQuery: [] }
        }],
        clients: ["cached", "uncached", Bench.noisyClient].map((name) =>
          testClient(name, Bench.tokenOf(name), {
            scopes: ["read", "write"],
            rateLimit: name === Bench.noisyClient && noisyRateLimit !== undefined
              ? { limit: 10, window: 1000 }
              : null
          })
        )
      },
      limits
    })
    const { lines, upstream } = proxy
    let [noisySent, noisyServed] = [0, 0]
    const sentBefore = new Map<string, number>()
    upstream.respondWith((request) => {
      const [, target = ""] = request.split(" ")
      if (isNoisy(target)) noisySent += 1
      else sentBefore.set(target, noisySent)
      if (target.startsWith(paths.cached)) return rawResponse(200, nft)
      if (target.startsWith(Bench.noisyPaths.hanging)) return null
      const isLarge = target.startsWith(Bench.noisyPaths.large)
      return rawResponse(200, page(isLarge ? large : "", `after ${upstream.requests().length}`))
    })
    return {
      ...proxy,
      /** Requests of the noisy client that have ended, with or without a token. */
      noisyServed: (): number => {
        for (const line of lines.splice(0)) {
          if (line.includes("\"message\":\"request\"") && !/"client":"(un)?cached"/.test(line)) {
            noisyServed += 1
          }
        }
        return noisyServed
      },
      /** Upstream requests of the noisy client so far. */
      noisySent: (): number => noisySent,
      /** The same before a request of another client was sent. */
      noisySentBefore: (target: string): number => sentBefore.get(target) ?? Number.NaN
    }
  })

type SharedProxy = Effect.Effect.Success<ReturnType<typeof startShared>>

/** `.ci/full` runs the long version. */
const [requestsPerClient, share] = isFull ? [96, 1 / 2] : [8, 1 / 8]

/** A clock whose milliseconds are turns of the event loop, so that a slow machine sends no more requests in a turn. */
const turnClock = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
      const state = { now: Date.now(), isRunning: true, sleepers }
      const turn = (): void => {
        state.now += 1
        for (const sleeper of sleepers) {
          if (sleeper.at > state.now) continue
          sleepers.delete(sleeper)
          sleeper.wake()
        }
        if (state.isRunning) setImmediate(turn)
      }
      setImmediate(turn)
      return state
    }),
    (state) => Effect.sync(() => void (state.isRunning = false))
  ),
  (state) =>
    makeClock(() => state.now, (millis, wake) => {
      const sleeper = { at: state.now + millis, wake }
      state.sleepers.add(sleeper)
      return () => state.sleepers.delete(sleeper)
    })
)

const outcomeOf = ({ headers, status, text }: HttpResult): string =>
  `${status} ${status === 200 ? "" : text} ${String(headers["cache-status"]).replace(/ttl=\d+/, "ttl")}`

const request = ({ port }: SharedProxy, client: string, path: string) =>
  Effect.map(sendRequest(port, path, { headers: { "x-api-key": Bench.tokenOf(client) } }), outcomeOf)

/** Sends a request, and counts the requests of the noisy client that end before it. */
const cachedRequest = (proxy: SharedProxy) =>
  Effect.suspend(() => {
    const before = proxy.noisyServed()
    return Effect.map(
      request(proxy, "cached", paths.cached),
      (outcome) => ({ outcome, overtaking: proxy.noisyServed() - before })
    )
  })

/** Sends a request, and counts the noisy upstream requests that were sent after it was made, but before it was sent. */
const uncachedRequest = (proxy: SharedProxy, index: number) =>
  Effect.gen(function*() {
    const before = proxy.noisySent()
    const path = `${paths.uncached}?n=${index}`
    const outcome = yield* request(proxy, "uncached", path)
    return { outcome, overtaking: proxy.noisySentBefore(path) - before }
  })

/** Sends the requests of a client, two at a time. Returns the different outcomes, and the most noisy requests before one. */
const sendAll = <E>(
  send: (index: number) => Effect.Effect<{ readonly outcome: string; readonly overtaking: number }, E>
) =>
  Effect.map(
    Effect.forEach(Array.from({ length: requestsPerClient }, (_, index) => index), send, { concurrency: 2 }),
    (all) => ({
      outcomes: [...new Set(all.map(({ outcome }) => outcome))],
      overtaking: Math.max(...all.map(({ overtaking }) => overtaking))
    })
  )

/** Returns how many requests of the noisy client came before one of another client at most. */
const check = (
  misbehavior: Bench.Misbehavior,
  starting: ReturnType<typeof startShared> = startShared(misbehavior.rateLimit)
) =>
  Effect.gen(function*() {
    const proxy = yield* starting
    yield* cachedRequest(proxy)
    yield* Effect.acquireRelease(
      Effect.sync(() => Bench.start(misbehavior, proxy.port)),
      (stop) => Effect.sync(stop)
    )
    // Some never get a response
    yield* Effect.repeat(cachedRequest(proxy), {
      until: () => proxy.noisyServed() + proxy.noisySent() > misbehavior.connections,
      times: requestsPerClient
    })
    const { cached, uncached } = yield* Effect.all({
      cached: sendAll(() => cachedRequest(proxy)),
      uncached: sendAll((index) => uncachedRequest(proxy, index))
    }, { concurrency: 2 })
    expect(cached.outcomes).toEqual(["200  quarry-proxy; hit; ttl"])
    expect(uncached.outcomes).toEqual(["200  quarry-proxy; fwd=miss"])
    return { cached: cached.overtaking, uncached: uncached.overtaking }
  })

it.scopedLive.each(sample(Bench.misbehaviors, 3))("two clients get correct responses beside $name", (all) =>
  // A few that reconnect at once fill the backlog of the system, in which every other request then waits
  check({ ...all, connections: Math.ceil(all.connections * (all.reconnects ? 1 / 8 : share)) }))

it.scopedLive("two clients get their share of the rate limit of the API key", () =>
  Effect.gen(function*() {
    const random = Bench.misbehaviors.find(({ name }) => name === "random queries") ?? expect.fail()
    const rateLimit = RateLimit.make({ limit: 400, window: "1 second", burst: 5 })
    const starting = Effect.withClock(startShared(undefined, rateLimit), yield* turnClock)
    const overtaking = yield* check({ ...random, connections: 32 }, starting)
    // In arrival order, all 32 would precede an uncached request
    expect(overtaking.cached).toBeLessThanOrEqual(64)
    expect(overtaking.uncached).toBeLessThanOrEqual(16)
  }))
