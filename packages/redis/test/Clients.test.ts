/** Clients over a shared Redis: what one has asked the other need not, and no call fails because Redis does. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import { Engine } from "@blockquarry/http/Gateway"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

/** A client with an engine of its own, as another process would have. */
const client = (sandbox: Sandbox.SandboxService, url: string, limit = 1_000_000) =>
  Effect.map(
    Layer.build(
      DataApi.layerWithEngine({
        apiKey: Redacted.make(Sandbox.apiKey),
        baseUrl: Sandbox.baseUrls.data,
        cache: ResponseCache.standard,
        // So high that nobody waits, where nothing is said
        rateLimit: RateLimit.make({ limit, window: "1 second" })
      }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, Sandbox.httpClient(sandbox))),
        Layer.provide(
          Layer.provide(Layer.fresh(Engine.layerWithStores), RedisStores.layer({ url, expectedProxies: 2 }))
        )
      )
    ),
    (context) => Context.get(context, DataApi.DataApi)
  )

/** An address for each number. */
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

/** What a call may take: the 100 ms that Redis is waited for, and what a busy machine adds. */
const maxMillis = 100 + 400

describe.skipIf(RedisServer.program === undefined)(`clients${RedisServer.skipReason}`, () => {
  it.scopedLive("share what was asked", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const sandbox = yield* Sandbox.make()
      const [one, other] = yield* Effect.all([client(sandbox, server.url), client(sandbox, server.url)])
      const requests = { address: sandbox.ledger.examples.wallet, chain: "eth" } as const
      const page = yield* one.walletTransfers(requests)
      expect(page.result.length).toBeGreaterThan(0)
      // It is kept after it is given
      const inspector = yield* Inspector.make(server)
      yield* until(Effect.map(inspector.keys, (keys) => keys.some((key) => key.startsWith("quarry:answer:"))))
      expect(yield* other.walletTransfers(requests)).toEqual(page)
      expect(yield* sandbox.recordedRequests).toHaveLength(1)
    }))

  it.scopedLive(
    "wait beside each other, however much dearer one's questions are",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const sandbox = yield* Sandbox.make()
        const [cheap, expensive] = yield* Effect.all([
          client(sandbox, server.url, 60),
          client(sandbox, server.url, 60)
        ])
        const { token, wallet } = sandbox.ledger.examples
        const answers = { cheap: 0, dear: 0 }
        /** More than there is room for, all the time. */
        const concurrentCallers = <A, E>(ownerOf: "cheap" | "dear", ask: Effect.Effect<A, E>) =>
          Effect.forkScoped(Effect.replicateEffect(
            Effect.forever(Effect.tap(ask, () => Effect.sync(() => answers[ownerOf] += 1))),
            20,
            { concurrency: "unbounded", discard: true }
          ))
        const asUncached = CallOptions.withCallOptions({ cacheMode: "no-store" })
        yield* concurrentCallers("cheap", asUncached(cheap.tokenPrice({ address: token, chain: "eth" })))
        yield* concurrentCallers("dear", asUncached(expensive.walletChains({ address: wallet })))
        // Beyond what may go at once
        yield* until(Effect.sync(() => answers.cheap + answers.dear > 40))
        const before = answers.dear
        yield* until(Effect.sync(() => answers.dear >= before + 5))
      }),
    30_000
  )

  it.scopedLive("go on while Redis is killed, paused and started again", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const sandbox = yield* Sandbox.make()
      const recorder = yield* OutputRecorder.make
      const clients = yield* recorder.record(
        Effect.all([client(sandbox, server.url), client(sandbox, server.url)])
      )
      let number = 0
      const times: Array<number> = []
      const failures: Array<unknown> = []
      const one = (data: DataApi.DataApiService) =>
        Effect.gen(function*() {
          const before = performance.now()
          number += 1
          // Every third question was asked before
          const address = addressOf(number % 3 === 0 ? number - 2 : number)
          yield* Effect.catchAllCause(data.walletChains({ address }), (cause) =>
            Effect.sync(() => {
              failures.push(cause)
            }))
          times.push(performance.now() - before)
          // Others have a turn
          yield* Effect.yieldNow()
        })
      const load = yield* recorder.record(Effect.forkScoped(
        Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (worker) =>
          Effect.forever(one(clients[worker % 2 === 0 ? 0 : 1])), { concurrency: "unbounded" })
      ))
      /** How often both stores of both clients were so. */
      const said = (state: "away" | "back") =>
        recorder.output.filter((line) =>
          line.includes(`store is ${state}`)
        ).length
      /** So many more calls. */
      const more = (count: number) =>
        Effect.suspend(() => {
          const target = times.length + count
          return until(Effect.sync(() => times.length >= target))
        })
      yield* more(300)
      for (
        const [begin, end] of [
          [server.stop, server.start],
          [server.pause, server.resume],
          [server.pause, server.restart]
        ] as const
      ) {
        const before = said("back")
        yield* begin
        yield* until(Effect.sync(() => said("away") >= before + 4))
        yield* more(500)
        yield* end
        yield* until(Effect.sync(() => said("back") >= before + 4))
        yield* more(500)
      }
      expect(load.unsafePoll()).toBe(null)
      yield* Fiber.interrupt(load)
      expect(failures).toEqual([])
      expect(Math.max(...times)).toBeLessThan(maxMillis)
    }), 60_000)
})
