/** Tests clients that share a Redis server: cache hits across clients, and calls during outages of Redis. */
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { sample } from "../../core/test/support/sample.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

/** A client with its own engine, as in another process. */
const client = (
  sandbox: Sandbox.SandboxService,
  url: string,
  { limit = 1_000_000, whenUnavailable }: {
    readonly limit?: number
    readonly whenUnavailable?: RateLimitStore.WhenUnavailable
  } = {}
) =>
  Effect.map(
    Layer.build(
      Blockquarry.layer({
        apiKey: Redacted.make(Sandbox.apiKey),
        baseUrls: { data: Sandbox.baseUrls.data },
        cache: ResponseCache.standard,
        // So high by default that no call is delayed
        rateLimit: RateLimit.make({ limit, window: "1 second" }),
        stores: RedisStores.layer({ url, whenUnavailable })
      }).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, Sandbox.httpClient(sandbox))))
    ),
    (context) => Context.get(context, DataApi.DataApi)
  )

/** Returns a distinct address for each number. */
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

/** Completes in the next turn of the event loop, after pending I/O. */
const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const modes: ReadonlyArray<readonly [mode: RateLimitStore.WhenUnavailable, errors: string]> = [
  ["share", "no errors"],
  ["open", "no errors"],
  ["closed", "only LocalLimitError"]
]

const totalOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)

describe.skipIf(RedisServer.program === undefined)(
  `clients with Redis stores${RedisServer.skipReason}`,
  () => {
    it.scopedLive("serve each other's responses from the shared cache", () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const sandbox = yield* Sandbox.make()
        const [one, other] = yield* Effect.all([client(sandbox, server.url), client(sandbox, server.url)])
        const input = { address: sandbox.ledger.examples.wallet, chain: "eth" } as const
        const page = yield* one.walletTransfers(input)
        expect(page.result.length).toBeGreaterThan(0)
        // The response is stored in the background
        const inspector = yield* Inspector.make(server)
        yield* until(
          Effect.map(inspector.keys, (keys) => keys.some((key) => key.startsWith("quarry:response:")))
        )
        expect(yield* other.walletTransfers(input)).toEqual(page)
        expect(yield* sandbox.recordedRequests).toHaveLength(1)
      }))

    it.scopedLive(
      "share a rate limit fairly, however expensive the calls of one client are",
      () =>
        Effect.gen(function*() {
          const server = yield* RedisServer.make()
          const sandbox = yield* Sandbox.make()
          const [cheap, expensive] = yield* Effect.all([
            client(sandbox, server.url, { limit: 60 }),
            client(sandbox, server.url, { limit: 60 })
          ])
          const { token, wallet } = sandbox.ledger.examples
          const completed = { cheap: 0, expensive: 0 }
          /** Keeps more calls running than the rate limit allows. */
          const concurrentCallers = <A, E>(name: "cheap" | "expensive", call: Effect.Effect<A, E>) =>
            Effect.forkScoped(Effect.replicateEffect(
              Effect.forever(Effect.tap(call, () => Effect.sync(() => completed[name] += 1))),
              20,
              { concurrency: "unbounded", discard: true }
            ))
          const uncached = CallOptions.withCallOptions({ cacheMode: "no-store" })
          yield* concurrentCallers("cheap", uncached(cheap.tokenPrice({ address: token, chain: "eth" })))
          yield* concurrentCallers("expensive", uncached(expensive.walletChains({ address: wallet })))
          // The burst is used up
          yield* until(Effect.sync(() => completed.cheap + completed.expensive > 40))
          const before = completed.expensive
          yield* until(Effect.sync(() => completed.expensive >= before + 5))
        })
    )

    it.scopedLive.each(sample(modes, 3))(
      "that are %s while Redis is stopped, paused and restarted complete their calls with %s",
      ([whenUnavailable]) =>
        Effect.gen(function*() {
          const server = yield* RedisServer.make()
          const sandbox = yield* Sandbox.make()
          const recorder = yield* OutputRecorder.make
          const connected = client(sandbox, server.url, { whenUnavailable })
          // Seven processes ran shortly before, which Redis still counts
          yield* Effect.scoped(Effect.replicateEffect(connected, 7))
          const clients = yield* recorder.record(Effect.all([connected, connected]))
          let number = 0
          const completed = { calls: 0, errors: new Map<string, number>() }
          const call = (data: DataApi.DataApiService) =>
            Effect.gen(function*() {
              number += 1
              // Every third call repeats an earlier one
              const address = addressOf(number % 3 === 0 ? number - 2 : number)
              yield* Effect.catchAll(data.walletChains({ address }), (error) =>
                Effect.sync(() => {
                  const name = error._tag === "LocalLimitError" ? `${error._tag} ${error.limit}` : error._tag
                  completed.errors.set(name, (completed.errors.get(name) ?? 0) + 1)
                }))
              completed.calls += 1
              yield* nextTurn
            })
          const load = yield* recorder.record(Effect.forkScoped(
            Effect.forEach(
              [0, 1, 2, 3, 4, 5, 6, 7],
              (worker) => Effect.forever(call(clients[worker % 2 === 0 ? 0 : 1])),
              { concurrency: "unbounded" }
            )
          ))
          /** Counts the log lines about a state, of both stores of both clients. */
          const logged = (state: "unavailable" | "available") =>
            recorder.output.filter((line) => line.includes(`store is ${state}`)).length
          /** Waits for `count` more calls. */
          const more = (count: number) =>
            Effect.suspend(() => {
              const target = completed.calls + count
              return until(Effect.sync(() => completed.calls >= target))
            })
          /** Makes 500 calls, and returns whether all succeeded. A store may lose its connection again at first. */
          const succeeding = Effect.suspend(() => {
            const failed = totalOf(completed.errors)
            return Effect.map(more(500), () => totalOf(completed.errors) === failed)
          })
          yield* more(300)
          const outages = [
            [server.stop, server.start],
            [server.pause, server.resume],
            [server.pause, server.restart]
          ] as const
          for (const [begin, end] of sample(outages, 3)) {
            const before = logged("available")
            yield* begin
            yield* until(Effect.sync(() => logged("unavailable") >= before + 4))
            yield* more(500)
            yield* end
            yield* until(Effect.sync(() => logged("available") >= before + 4))
            yield* Effect.repeat(succeeding, { until: (succeeded) => succeeded })
          }
          expect(load.unsafePoll()).toBe(null)
          yield* Fiber.interrupt(load)
          expect([...completed.errors.keys()]).toEqual(
            whenUnavailable === "closed" ? ["LocalLimitError unavailable"] : []
          )
        })
    )
  }
)
