/** What callers of one layer give, and what they do next, runs in the async context of each. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as DataApi from "@blockquarry/http/DataApi"
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import { AsyncLocalStorage } from "node:async_hooks"
import { isFull } from "../../core/test/support/sample.ts"
import { addressOf } from "./support/PriceCalls.ts"
import * as Server from "./support/Server.ts"
import type { HarnessOptions } from "./support/TestClients.ts"

/** What makes calls wait for other calls. */
const policies: Readonly<Record<string, HarnessOptions>> = {
  "with the defaults": {},
  "with a limit of one": { concurrency: { limit: 1 } },
  "with a rate limit": { rateLimit: { limit: 500, window: "1 second", burst: 5, cost: 1 } },
  "with a cache": { cache: {} }
}

const transfer = { transaction_hash: `0x${"12".repeat(32)}`, block_number: 7, log_index: 1, value: "5" }
const page = { page: 0, page_size: 1, cursor: null, result: [transfer] }

/** The first response to every second caller is a 503. */
const startServer = Effect.suspend(() => {
  const failed = new Set<string>()
  return Effect.map(
    Server.make((response) => {
      const { url = "" } = response.req
      const fails = /[13579bdf]\//.test(url) && !failed.delete(url)
      if (fails) failed.add(url)
      response.writeHead(fails ? 503 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify(url.includes("/price") ? { usdPrice: 1.5 } : page))
    }),
    ({ url }) => url
  )
})

const storage = new AsyncLocalStorage<number>()

const callers = isFull ? 100 : 20

describe.each(Server.clients)("with %s,", (name, client) => {
  // The transport of Undici resumes calls from the sockets of others.
  const all = Object.entries(policies)
  it.scopedLive.each(name === "UndiciTransport" ? all : all.slice(0, 1))(
    "many callers at once continue in their own async context %s",
    ([, options]) =>
      Effect.gen(function*() {
        let [ran, elsewhere] = [0, 0]
        const apis = DataApi.layer({
          apiKey: Redacted.make("key"),
          baseUrl: yield* startServer,
          breaker: { minimum: 1000 },
          retry: { baseDelay: { transient: 1 }, budget: { capacity: 1000 } },
          ...options
        })
        const runtime = ManagedRuntime.make(Layer.provide(apis, client))
        const call = (caller: number) => {
          const expectOwn = () => {
            ran += 1
            if (storage.getStore() !== caller) elsewhere += 1
          }
          const address = addressOf("cache" in options ? caller >> 2 : caller)
          return storage.run(caller, () =>
            DataApi.DataApi.pipe(
              Effect.flatMap((data) =>
                Effect.zipRight(
                  Effect.tap(data.tokenPrice({ address }), expectOwn),
                  Stream.runForEach(
                    data.walletTransfers.items({ address }, { prefetch: 1 }),
                    () => Effect.sync(expectOwn)
                  )
                )
              ),
              CallUsage.withUsage,
              CallOptions.withCallOptions({
                onResponse: expectOwn,
                // Calls with schedules of their own are not coalesced.
                retry: "cache" in options
                  ? undefined
                  : Schedule.tapInput(Schedule.spaced("1 millis"), () => Effect.sync(expectOwn))
              }),
              runtime.runPromise
            ))
        }
        yield* Effect.promise(() => Promise.all(Array.from({ length: callers }, (_, caller) => call(caller))))
        yield* runtime.disposeEffect
        expect(ran).toBeGreaterThanOrEqual(4 * callers)
        expect(elsewhere).toBe(0)
      })
  )
})

it.scopedLive("a program that has its own scheduler keeps it during a call", () =>
  Effect.gen(function*() {
    let tasks = 0
    const own = Scheduler.make((task) => {
      tasks += 1
      queueMicrotask(task)
    })
    const layer = DataApi.layer({ apiKey: Redacted.make("key"), baseUrl: yield* startServer })
    const data = yield* Layer.build(Layer.provide(layer, Layer.orDie(UndiciTransport.layer)))
    yield* Effect.withScheduler(
      Effect.provide(data)(
        Effect.flatMap(DataApi.DataApi, (api) => api.tokenPrice({ address: addressOf(2) }))
      ),
      own
    )
    expect(tasks).toBeGreaterThan(0)
  }))
