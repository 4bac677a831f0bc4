/** Tests call options: the inner region takes precedence, and calls outside are not affected. */
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

/** Returns the number of attempts of a failing call in a region, where the layer allows three. */
const attempts = (region: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
      ...minimalOptions,
      retry: TestClients.immediateRetries(3)
    })
    yield* region(Effect.ignore(fetchPrice(harness, 1)))
    return harness.requests.length
  })

describe("withCallOptions", () => {
  it.effect("takes precedence over the layer, and inner options over outer ones", () =>
    Effect.gen(function*() {
      expect(yield* attempts((self) => self)).toBe(3)
      expect(yield* attempts(once)).toBe(1)
      expect(yield* attempts(often)).toBe(5)
      expect(yield* attempts((self) => often(once(self)))).toBe(1)
      expect(yield* attempts((self) => once(often(self)))).toBe(5)
    }))

  it.effect("inherits options that are not set", () =>
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

  it.effect("inherits members of a policy that are not set, from the outer region and else from the layer", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), {
        ...minimalOptions,
        timeouts: { attempt: "7 seconds" },
        retry: TestClients.immediateRetries(2)
      })
      const call = fetchPrice(harness, 1).pipe(
        CallOptions.withCallOptions({ timeouts: { call: "5 seconds" } }),
        CallOptions.withCallOptions({
          timeouts: { attempt: "3 seconds", call: "1 minute" },
          retry: { attempts: 5 }
        })
      )
      const error = yield* whileTimePasses(failureOf(call), "5 seconds")
      expect(error).toMatchObject({ _tag: "TimeoutError", scope: "call" })
      // The backoff of the layer is immediate
      expect(harness.requests.map(({ at }) => at)).toEqual([0, 3000])
    }))

  it.effect("does not affect concurrent or later calls outside the region", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
        ...minimalOptions,
        retry: TestClients.immediateRetries(3)
      })
      const call = Effect.ignore(fetchPrice(harness, 1))
      yield* Effect.all([once(call), call, twice(call)], { concurrency: "unbounded" })
      expect(harness.requests).toHaveLength(6)
      yield* call
      expect(harness.requests).toHaveLength(9)
    }))
})

describe("streamWithCallOptions", () => {
  /** Three pages. The first request of each fails. */
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

  it.effect("applies to every page", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(service(), minimalOptions)
      const { items, pages } = harness.data.tokenOwners
      expect(yield* Stream.runCount(CallOptions.streamWithCallOptions(retried)(pages(input)))).toBe(3)
      expect(harness.requests).toHaveLength(6)
      const second = yield* TestClients.harness(service(), minimalOptions)
      expect(
        yield* Stream.runCount(
          CallOptions.streamWithCallOptions(retried)(second.data.tokenOwners.items(input))
        )
      ).toBe(3)
      expect(yield* Stream.runCount(items(input))).toBe(3)
    }))

  it.effect("takes precedence over the options of the surrounding effect, which apply otherwise", () =>
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

  it.effect("inherits options of the surrounding effect that it does not set", () =>
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

describe("cacheMode", () => {
  it.effect("applies only within its region", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      const call = Effect.map(fetchPrice(harness, 1), ({ usdPrice }) => usdPrice)
      const reload = CallOptions.withCallOptions({ cacheMode: "reload" })
      expect(yield* Effect.all([call, call, reload(call), call])).toEqual([1, 1, 2, 2])
      expect(yield* reload(CallOptions.withCallOptions({ cacheMode: "default" })(call))).toBe(2)
    }))
})

describe("the second argument of an operation function", () => {
  const retrying = { ...minimalOptions, retry: TestClients.immediateRetries(3) }

  it.effect("sets the options of one call and takes precedence over the region", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), retrying)
      const call = harness.data.tokenPrice({ address }, { retry: RetryPolicy.none })
      yield* Effect.ignore(call)
      expect(harness.requests).toHaveLength(1)
      yield* Effect.ignore(often(call))
      expect(harness.requests).toHaveLength(2)
      yield* Effect.ignore(harness.data.tokenPrice({ address }))
      expect(harness.requests).toHaveLength(5)
    }))

  it.effect("sets the options of every request of a list, with those of pagination", () =>
    Effect.gen(function*() {
      const page = (cursor: string | null) => ScriptedClient.json({ cursor, result: [] })
      const script = [
        ScriptedClient.respond(500),
        page("a"),
        ScriptedClient.respond(500),
        page("b"),
        ScriptedClient.respond(500)
      ]
      const { data, requests } = yield* TestClients.harness(script, minimalOptions)
      const pages = data.tokenOwners.pages({ token_address: address }, {
        retry: TestClients.immediateRetries(2),
        maxPages: 2
      })
      expect(yield* Stream.runCount(pages)).toBe(2)
      expect(requests).toHaveLength(4)
      const items = data.tokenOwners.items({ token_address: address }, { retry: RetryPolicy.none })
      expect((yield* failureOf(Stream.runDrain(items)))._tag).toBe("ServerError")
      expect(requests).toHaveLength(5)
    }))

  it.effect("sets the options of one page of a list", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), retrying)
      yield* Effect.ignore(harness.data.tokenOwners({ token_address: address }, { retry: RetryPolicy.none }))
      expect(harness.requests).toHaveLength(1)
    }))
})

describe("invalid options", () => {
  const invalid = [
    ["retry.attempts", { retry: { ...RetryPolicy.standard, attempts: Number.NaN } }],
    ["retry.attempts", { retry: { ...RetryPolicy.standard, attempts: 0 } }],
    ["retry.budget.refill", {
      retry: { ...RetryPolicy.standard, budget: { capacity: 1, refill: Number.NaN } }
    }],
    ["timeouts.attempt", { timeouts: { attempt: Number.NaN, call: "1 second" } }],
    ["timeouts.call", { timeouts: { attempt: "1 second", call: 0 } }]
  ] as const

  for (const [option, options] of invalid) {
    it.effect(`fail the call and name the option: ${option}`, () =>
      Effect.gen(function*() {
        const { data, requests } = yield* TestClients.harness(numberedPrice, minimalOptions)
        const expected = {
          _tag: "InvalidInputError",
          operation: "tokenPrice",
          issues: [{ parameter: option }]
        }
        expect(yield* failureOf(data.tokenPrice({ address }, options))).toMatchObject(expected)
        const region = CallOptions.withCallOptions(options)
        expect(yield* failureOf(region(data.tokenPrice({ address })))).toMatchObject(expected)
        const stream = data.tokenOwners.pages({ token_address: address }, options)
        expect(yield* failureOf(Stream.runDrain(stream))).toMatchObject({ issues: [{ parameter: option }] })
        expect(requests).toEqual([])
      }))
  }

  it.effect("are all named in one error", () =>
    Effect.gen(function*() {
      const { data } = yield* TestClients.harness(numberedPrice, minimalOptions)
      const options = {
        retry: { ...RetryPolicy.standard, attempts: 1.5 },
        timeouts: { attempt: 0, call: 0 }
      }
      const { message } = yield* failureOf(data.tokenPrice({ address }, options))
      expect(message).toBe(
        "tokenPrice: retry.attempts: expected an integer of at least 1, got 1.5; " +
          "timeouts.attempt: expected more than 0, got 0; timeouts.call: expected more than 0, got 0"
      )
    }))

  it.effect.each<[json: string, parameter: string, reason: string]>([
    [`{ "cacheMode": "force" }`, "cacheMode", "expected one of default, reload, no-store, got a string"],
    [`{ "cacheMode": 5 }`, "cacheMode", "expected one of default, reload, no-store, got 5"],
    [
      `{ "cacheMod": "reload" }`,
      "cacheMod",
      "unknown option; expected one of retry, timeouts, cacheMode, cursor, maxPages, maxItems, prefetch"
    ],
    [`{ "cursor": 5 }`, "cursor", "expected a string, got 5"],
    ["null", "options", "expected an object, got null"],
    ["5", "options", "expected an object, got 5"],
    ["[]", "options", "expected an object, got a list"],
    [
      `{ "timeouts": { "call": "soon" } }`,
      "timeouts.call",
      `expected a duration such as "5 seconds", got a string`
    ]
  ])(
    "of a program without types fail calls, regions and streams: %s",
    ([json, parameter, reason]) =>
      Effect.gen(function*() {
        const { data, requests } = yield* TestClients.harness(numberedPrice, minimalOptions)
        const untyped: CallOptions.CallOptions = JSON.parse(json)
        const expected = { _tag: "InvalidInputError", issues: [{ parameter, reason }] }
        expect(yield* failureOf(data.tokenPrice({ address }, untyped))).toMatchObject(expected)
        expect(yield* failureOf(CallOptions.withCallOptions(data.tokenPrice({ address }), untyped)))
          .toMatchObject(expected)
        const { items, pages } = data.tokenOwners
        expect(yield* failureOf(Stream.runDrain(pages({ token_address: address }, untyped))))
          .toMatchObject(expected)
        expect(yield* failureOf(Stream.runDrain(items({ token_address: address }, untyped))))
          .toMatchObject(expected)
        expect(requests).toEqual([])
      })
  )

  for (const option of ["maxItems", "maxPages", "prefetch"] as const) {
    it.effect(`of a stream fail it: ${option}`, () =>
      Effect.gen(function*() {
        const { data, requests } = yield* TestClients.harness([])
        for (const value of [Number.NaN, -1, 1.5]) {
          const expected = {
            operation: "tokenOwners",
            issues: [{ parameter: option, reason: `expected an integer of at least 0, got ${value}` }]
          }
          const { items, pages } = data.tokenOwners
          const options = { [option]: value }
          expect(yield* failureOf(Stream.runDrain(pages({ token_address: address }, options))))
            .toMatchObject(expected)
          expect(yield* failureOf(Stream.runDrain(items({ token_address: address }, options))))
            .toMatchObject(expected)
        }
        expect(requests).toEqual([])
      }))
  }
})
