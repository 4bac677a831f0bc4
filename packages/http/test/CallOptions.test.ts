/** Tests call options, of which the inner region takes precedence. The timelines show what tenants do not share. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { upstreamHealth } from "../src/gateway/Engine.ts"
import { cachingOptions, numberedPrice } from "./support/CacheFixtures.ts"
import { address } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import { addressOf, fetchPrice, minimalOptions, priceReply } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { engineHarness, labelOf, secretOf } from "./support/TestEngine.ts"
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
})

describe("streamWithCallOptions", () => {
  it.effect("applies to every page, and takes precedence over the options of the surrounding effect", () =>
    Effect.gen(function*() {
      /** Two pages. The first request of each fails. */
      const script: ScriptedClient.Script = (_, number) =>
        number % 2 === 1
          ? ScriptedClient.respond(500)
          : ScriptedClient.json({
            cursor: number === 4 ? null : "next",
            result: [{ owner_address: addressOf(number) }]
          })
      const onStream = CallOptions.streamWithCallOptions({ retry: TestClients.immediateRetries(2) })
      const without = CallOptions.streamWithCallOptions({ retry: RetryPolicy.none })
      const programs: ReadonlyArray<(list: Stream.Stream<unknown, Error>) => Effect.Effect<number, Error>> = [
        (list) => Stream.runCount(onStream(list)),
        (list) => once(Stream.runCount(onStream(list))),
        (list) => twice(Stream.runCount(list)),
        (list) => Stream.runCount(without(onStream(list)))
      ]
      for (const program of programs) {
        const { data } = yield* TestClients.harness(script, minimalOptions)
        expect(yield* program(data.tokenOwners.items({ token_address: address }))).toBe(2)
      }
    }))
})

it.effect("usage of an inner region is not part of the outer region", () =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(numberedPrice, minimalOptions)
    const both = Effect.all([fetchPrice(harness, 1), fetchPrice(harness, 2)], { concurrency: "unbounded" })
    const [[, inner], outer] = yield* CallUsage.withUsage(
      Effect.zipRight(fetchPrice(harness, 3), CallUsage.withUsage(both))
    )
    expect(outer).toEqual({ ...CallUsage.none, attempts: 1, cost: 3, price: 50, unsettledPrice: 50 })
    expect(inner).toEqual({
      ...CallUsage.none,
      attempts: 2,
      cost: 6,
      price: 100,
      unsettledPrice: 100
    })
  }))

describe("query", () => {
  it.effect("adds parameters to those of the operation, and to those of the outer region", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(() => ScriptedClient.json({ usdPrice: 1 }))
      const call = data.tokenPrice({ address, chain: "eth" }, { query: { fresh: ["a", 2n], inner: 1 } })
      yield* call
      yield* CallOptions.withCallOptions(call, { query: { outer: true, inner: 2, fresh: "b" } })
      const queries = requests.map(({ url }) => decodeURIComponent(url.search))
      expect(queries).toEqual([
        "?chain=0x1&fresh[]=a&fresh[]=2&inner=1",
        "?chain=0x1&outer=true&inner=1&fresh[]=a&fresh[]=2"
      ])
    }))

  it.effect("is a part of the cache key, and sends nothing if a parameter is misspelled, known or invalid", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(
        () => ScriptedClient.json({ usdPrice: 1 }),
        cachingOptions
      )
      for (const fresh of [1, 2, 1, "2"]) yield* data.tokenPrice({ address }, { query: { fresh } })
      expect(requests.map(({ url }) => url.search)).toEqual(["?fresh=1", "?fresh=2"])
      const query = { chian: "eth", address: "0x", fresh: Number.NaN }
      expect(yield* failureOf(data.tokenPrice({ address }, { query }))).toMatchObject({
        _tag: "InvalidInputError",
        issues: [{ parameter: "query.chian" }, { parameter: "query.address" }, { parameter: "query.fresh" }]
      })
      expect(requests).toHaveLength(2)
    }))

  it.effect("applies to every page of a list, and to an update", () =>
    Effect.gen(function*() {
      const page = (cursor: string | null) => ScriptedClient.json({ cursor, result: [] })
      const { data, requests, streams } = yield* TestClients.harness([
        page("a"),
        page(null),
        ScriptedClient.json({ id: "s", status: "paused" })
      ])
      yield* Stream.runDrain(data.tokenOwners.pages({ token_address: address }, { query: { fresh: 1 } }))
      yield* streams.updateStreamStatus({ id: "s", status: "paused" }, { query: { fresh: 2 } })
      expect(requests.map(({ url }) => url.search)).toEqual(["?fresh=1", "?cursor=a&fresh=1", "?fresh=2"])
    }))
})

const as = (tenant: string) => CallOptions.withCallOptions({ apiKey: Redacted.make(secretOf(tenant)) })

describe("two tenants", () => {
  it.effect("are told apart by any call of a region or stream, and by a call alone", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(
        () => ScriptedClient.json({ result: [], cursor: null }),
        { apiKey: Redacted.make(secretOf("layer")) }
      )
      const transfers = data.walletTransfers.items({ address })
      const apiKey = Redacted.make(secretOf("c"))
      yield* transfers.pipe(
        CallOptions.streamWithCallOptions({ apiKey: Redacted.make(secretOf("a")) }),
        Stream.runDrain
      )
      yield* Stream.runDrain(transfers).pipe(
        CallOptions.withCallOptions({ timeouts: { call: "1 second" } }),
        as("b")
      )
      yield* data.walletTransfers({ address }, { apiKey }).pipe(as("b"))
      yield* Stream.runDrain(transfers)
      expect(requests.map(labelOf)).toEqual(["a", "b", "c", "layer"])
      for (const key of ["a\nb", ""]) {
        const error = yield* failureOf(data.walletTransfers({ address }, { apiKey: Redacted.make(key) }))
        expect(error).toMatchObject({ _tag: "InvalidInputError", issues: [{ parameter: "apiKey" }] })
      }
    }))

  it.effect("have names in the health that do not reveal their keys", () =>
    Effect.gen(function*() {
      const { engine, send } = yield* engineHarness(() => priceReply)
      for (const name of ["a", "b"]) yield* send(1).pipe(as(name))
      const [health] = yield* upstreamHealth(engine)
      const name = expect.stringMatching(/^tenant [0-9a-f]{32}$/)
      expect(health?.keys.map(({ label }) => label)).toEqual([name, name])
    }))
})
