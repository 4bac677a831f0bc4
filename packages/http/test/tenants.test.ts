/** Calls with the API keys of tenants, on one layer. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { failureOf } from "./support/Failures.ts"
import { addressOf, fetchPrice, minimalOptions, priceReply } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { engineHarness, labelOf, secretOf } from "./support/TestEngine.ts"
import { runPendingWork } from "./support/TestTime.ts"

const as = (tenant: string) => CallOptions.withCallOptions({ apiKey: Redacted.make(secretOf(tenant)) })

/** Responds with a price that belongs to the API key. */
const ownPrice = (request: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply =>
  ScriptedClient.json({ usdPrice: labelOf(request).length })

describe("two tenants", () => {
  it.effect("share no key, coalesced request and cached response, with each other and with the layer", () =>
    Effect.gen(function*() {
      const clients = yield* TestClients.harness(
        (request) => ScriptedClient.delayed("1 second", ownPrice(request)),
        { apiKey: Redacted.make(secretOf("layer")), cache: ResponseCache.standard }
      )
      const names = ["a", "bb", "layer"]
      const regions = names.map((name) =>
        name === "layer" ? fetchPrice(clients, 1) : fetchPrice(clients, 1).pipe(as(name))
      )
      for (let round = 0; round < 2; round += 1) {
        const calls = yield* Effect.forkAll([...regions, ...regions])
        yield* TestClock.adjust("1 second")
        const prices = (yield* Fiber.join(calls)).map(({ usdPrice }) => usdPrice)
        expect(prices).toEqual([...names, ...names].map((name) => name.length))
        yield* runPendingWork
      }
      // Then from the cache
      expect(clients.requests.map(labelOf)).toEqual(names)
    }))

  it.effect("share no rate limit, cooldown, concurrency slot and daily quota", () =>
    Effect.gen(function*() {
      const rateLimit = { limit: 3, window: "1 hour", maxWait: 0, dailyQuota: 6 } as const
      const limited = yield* TestClients.harness(ownPrice, { rateLimit })
      const throttled = yield* TestClients.harness(
        (request) =>
          labelOf(request) === "a" ? ScriptedClient.respond(429, "", { "retry-after": "60" }) : priceReply,
        { ...minimalOptions, rateLimit: { limit: 300, window: "1 second", maxWait: 0 } }
      )
      const busy = yield* TestClients.harness(
        (request) => labelOf(request) === "a" ? ScriptedClient.Hang() : priceReply,
        { concurrency: { limit: 1 }, rateLimit: { limit: 300, window: "1 second", maxWait: 0 } }
      )
      yield* Effect.fork(fetchPrice(busy, 1).pipe(as("a")))
      yield* fetchPrice(limited, 1).pipe(as("a"))
      yield* failureOf(fetchPrice(throttled, 1).pipe(as("a")))
      for (const clients of [limited, throttled, busy]) {
        expect((yield* failureOf(fetchPrice(clients, 2).pipe(as("a"))))._tag).toMatch(/LimitError$/)
        yield* fetchPrice(clients, 2).pipe(as("b"))
      }
      yield* TestClock.adjust("1 hour")
      yield* fetchPrice(limited, 3).pipe(as("a"))
      yield* TestClock.adjust("1 hour")
      expect(yield* failureOf(fetchPrice(limited, 4).pipe(as("a")))).toMatchObject({ limit: "daily" })
      yield* fetchPrice(limited, 4).pipe(as("b"))
    }))

  it.effect("share no circuit breaker and retry budget", () =>
    Effect.gen(function*() {
      const clients = yield* TestClients.harness(
        (request, number) =>
          labelOf(request) === "a" || number === 5 ? ScriptedClient.respond(500) : priceReply,
        {
          ...minimalOptions,
          breaker: { minimum: 3, threshold: 0.5 },
          retry: { ...TestClients.immediateRetries(4), budget: { capacity: 3, refill: 0 } }
        }
      )
      expect((yield* failureOf(fetchPrice(clients, 1).pipe(as("a"))))._tag).toBe("ServerError")
      expect((yield* failureOf(fetchPrice(clients, 1).pipe(as("a"))))._tag).toBe("CircuitOpenError")
      yield* fetchPrice(clients, 1).pipe(as("b"))
    }))

  it.effect("are told apart by any call of a region or stream, and by a call alone", () =>
    Effect.gen(function*() {
      const { data, requests } = yield* TestClients.harness(
        () => ScriptedClient.json({ result: [], cursor: null }),
        { apiKey: Redacted.make(secretOf("layer")) }
      )
      const address = addressOf(1)
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
      for (
        const [key, reason] of [[Redacted.make("a\nb"), "a line break"], [
          Redacted.make(""),
          "an empty string"
        ]] as const
      ) {
        const error = yield* failureOf(data.walletTransfers({ address }, { apiKey: key }))
        expect(error).toMatchObject({ _tag: "InvalidInputError", message: expect.stringContaining(reason) })
      }
    }))

  it.effect("have names in the health that do not reveal their keys", () =>
    Effect.gen(function*() {
      const { engine, send } = yield* engineHarness(() => priceReply)
      for (const name of ["a", "b"]) yield* send(1).pipe(as(name))
      const [health] = yield* engine.health
      const name = expect.stringMatching(/^tenant [0-9a-f]{32}$/)
      expect(health?.keys.map(({ label }) => label)).toEqual([name, name])
    }))
})
