/** Regions under other policies: the inner one wins, and nothing leaks out of one. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { cachingOptions, numberedPrice } from "./support/CacheFixtures.ts"
import { address } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import { fetchPrice, minimalOptions } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { whileTimePasses } from "./support/TestTime.ts"

const once = CallOptions.withCallOptions({ retry: RetryPolicy.none })
const twice = CallOptions.withCallOptions({ retry: TestClients.immediateRetries(2) })
const often = CallOptions.withCallOptions({ retry: TestClients.immediateRetries(5) })

/** How many attempts a region makes of a call that always fails, where the layer says three. */
const attempts = (region: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
      ...minimalOptions,
      retry: TestClients.immediateRetries(3)
    })
    yield* region(Effect.ignore(fetchPrice(harness, 1)))
    return harness.requests.length
  })

describe("a region of an effect", () => {
  it.effect("wins over the layer, and the inner one over the outer", () =>
    Effect.gen(function*() {
      expect(yield* attempts((self) => self)).toBe(3)
      expect(yield* attempts(once)).toBe(1)
      expect(yield* attempts(often)).toBe(5)
      expect(yield* attempts((self) => often(once(self)))).toBe(1)
      expect(yield* attempts((self) => once(often(self)))).toBe(5)
    }))

  it.effect("leaves alone what it says nothing of: the outer one holds", () =>
    Effect.gen(function*() {
      const timeouts = CallOptions.withCallOptions({ timeouts: { attempt: "3 seconds", call: "1 minute" } })
      const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), {
        ...minimalOptions,
        retry: TestClients.immediateRetries(3)
      })
      const error = yield* whileTimePasses(failureOf(timeouts(twice(fetchPrice(harness, 1)))), "6 seconds")
      expect(error).toMatchObject({ _tag: "TimeoutError", scope: "attempt" })
      expect(harness.requests.map(({ at }) => at)).toEqual([0, 3000])
    }))

  it.effect("bounds the time of its calls", () =>
    Effect.gen(function*() {
      const total = CallOptions.withCallOptions({ timeouts: { attempt: "1 minute", call: "2 seconds" } })
      const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), minimalOptions)
      expect(yield* whileTimePasses(failureOf(total(fetchPrice(harness, 1))), "2 seconds")).toMatchObject({
        _tag: "TimeoutError",
        scope: "call"
      })
    }))

  it.effect("does not reach those beside it, at the same time or after", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
        ...minimalOptions,
        retry: TestClients.immediateRetries(3)
      })
      const ask = Effect.ignore(fetchPrice(harness, 1))
      yield* Effect.all([once(ask), ask, twice(ask)], { concurrency: "unbounded" })
      expect(harness.requests).toHaveLength(6)
      yield* ask
      expect(harness.requests).toHaveLength(9)
    }))

  it.effect("holds in the fibers that it starts", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
        ...minimalOptions,
        retry: TestClients.immediateRetries(3)
      })
      const ask = Effect.ignore(fetchPrice(harness, 1))
      yield* once(Effect.all([ask, ask], { concurrency: "unbounded" }))
      expect(harness.requests).toHaveLength(2)
    }))
})

describe("a region of a stream", () => {
  /** Three pages, each of which fails at first. */
  const service = () => {
    const failed = new Set<string>()
    return ({ url }: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
      const page = url.searchParams.get("cursor") ?? "0"
      if (!failed.has(page)) {
        failed.add(page)
        return ScriptedClient.respond(500)
      }
      return ScriptedClient.json({
        cursor: page === "2" ? null : `${Number(page) + 1}`,
        result: [{ owner_address: address, balance: "1" }]
      })
    }
  }
  const input = { token_address: address }
  const retried = { retry: TestClients.immediateRetries(2) }

  it.effect("holds for every page of a walk", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(service(), minimalOptions)
      const { items, pages } = harness.data.tokenOwners
      expect(yield* Stream.runCount(CallOptions.streamWithCallOptions(retried)(pages(input)))).toBe(3)
      expect(harness.requests).toHaveLength(6)
      const other = yield* TestClients.harness(service(), minimalOptions)
      expect(
        yield* Stream.runCount(
          CallOptions.streamWithCallOptions(retried)(other.data.tokenOwners.items(input))
        )
      ).toBe(3)
      expect(yield* Stream.runCount(items(input))).toBe(3)
    }))

  it.effect("is the inner one, around a walk inside an effect; and what is said around its run holds too", () =>
    Effect.gen(function*() {
      const inner = yield* TestClients.harness(service(), minimalOptions)
      const pagination = CallOptions.streamWithCallOptions(retried)(inner.data.tokenOwners.pages(input))
      expect(yield* once(Stream.runCount(pagination))).toBe(3)
      const outer = yield* TestClients.harness(service(), minimalOptions)
      expect(yield* twice(Stream.runCount(outer.data.tokenOwners.pages(input)))).toBe(3)
      const both = yield* TestClients.harness(service(), minimalOptions)
      const none = CallOptions.streamWithCallOptions({ retry: RetryPolicy.none })(
        CallOptions.streamWithCallOptions(retried)(both.data.tokenOwners.pages(input))
      )
      expect(yield* Stream.runCount(none)).toBe(3)
    }))

  it.effect("does not reach the streams beside it", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(service(), minimalOptions)
      const plain = harness.data.tokenOwners.pages(input)
      const mixed = Stream.concat(
        Stream.take(CallOptions.streamWithCallOptions(retried)(plain), 1),
        Stream.drop(plain, 1)
      )
      expect(yield* failureOf(Stream.runDrain(mixed))).toMatchObject({ _tag: "ServerError" })
      expect(harness.requests).toHaveLength(4)
    }))

  it.effect("keeps what the region around its run says of other things", () =>
    Effect.gen(function*() {
      const page = { cursor: null, result: [] }
      const harness = yield* TestClients.harness(() => ScriptedClient.json(page), cachingOptions)
      const pagination = CallOptions.streamWithCallOptions(retried)(harness.data.tokenOwners.pages(input))
      yield* Stream.runDrain(pagination)
      yield* Stream.runDrain(pagination)
      expect(harness.requests).toHaveLength(1)
      yield* CallOptions.withCallOptions({ cacheMode: "reload" })(Stream.runDrain(pagination))
      expect(harness.requests).toHaveLength(2)
    }))
})

describe("a cache mode", () => {
  it.effect("holds in its region alone", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      const ask = Effect.map(fetchPrice(harness, 1), ({ usdPrice }) => usdPrice)
      const reload = CallOptions.withCallOptions({ cacheMode: "reload" })
      expect(yield* Effect.all([ask, ask, reload(ask), ask])).toEqual([1, 1, 2, 2])
      expect(yield* reload(CallOptions.withCallOptions({ cacheMode: "default" })(ask))).toBe(2)
    }))
})
