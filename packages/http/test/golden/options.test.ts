/** Compares the errors of invalid options with golden records: those of layers, and those of calls. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as DataApi from "@blockquarry/http/DataApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as HttpClient from "@effect/platform/HttpClient"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import { record } from "../../../core/test/golden/support/record.ts"
import { withCallOptions } from "../../src/CallOptions.ts"
import { address } from "../support/Examples.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

/** The errors of options, without the types that TypeScript checks. Each names its option and shows no secret. */
const errorsOf = (
  all: ReadonlyArray<readonly [name: string, options: unknown]>,
  errorOf: (options: object) => Effect.Effect<ReadonlyArray<string>>
) =>
  Effect.map(
    Effect.forEach(all, ([name, options]) =>
      Effect.map(errorOf(JSON.parse(JSON.stringify(options), numbers)), (errors) => {
        expect(errors.join()).not.toContain("secret")
        return [name, errors] as const
      })),
    (errors) =>
      Object.fromEntries(errors)
  )

/** JSON has no such number. */
const numbers = (_: string, value: unknown): unknown => value === "NaN" ? Number.NaN : value

const named = (options: unknown) =>
  [inspect(options, { breakLength: Number.POSITIVE_INFINITY, compact: true, depth: 9 }), options] as const

const retry = (value: unknown) => ({
  attempts: value,
  baseDelay: { transient: value, throttled: value },
  maxDelay: value,
  budget: { capacity: value, refill: value }
})

const policies = (value: unknown) => ({
  cache: { enabled: value, staleIfError: value, negative: { notFound: value } },
  timeouts: { attempt: value, call: value },
  retry: retry(value),
  rateLimit: {
    limit: value,
    window: value,
    burst: value,
    cost: value,
    price: value,
    maxWait: value,
    maxQueue: value,
    dailyQuota: value
  },
  breaker: { threshold: value, minimum: value, window: value, openDuration: value, maxOpenDuration: value },
  concurrency: { limit: value, maxQueue: value },
  maxBodySize: value,
  arrayFormat: value,
  decoding: value,
  onResponse: value,
  uncacheable: [value],
  userAgent: value,
  weightHeader: value
})

const layers = [
  ...[0, -1, 1.5, "secret"].map((value) => [`every option is ${value}`, policies(value)] as const),
  ...[
    { cache: 3, timeouts: "secret", retry: [], rateLimit: true, breaker: 0, concurrency: "secret" },
    { rateLimit: {} },
    { rateLimit: { limit: 1, window: 1, cost: { tokenPrice: "NaN", tokenPrise: "secret" } } },
    { uncacheable: "secret" },
    { apiKey: "secret" },
    { apiKey: 12_345 },
    { apiKey: null },
    { apiKey: { key: "secret" } },
    { apiKey: ["secret"] },
    { apiKey: [{ label: 1, key: "secret" }, { label: "a", rateLimit: 1 }] },
    { apiKey: [{ label: "a", rateLimit: { cost: { constructor: 1 } } }] },
    { retry: { atempts: "secret" }, cahce: "secret", constructor: "secret" }
  ].map(named)
]

it.effect("errors.layerOptions", () =>
  Effect.gen(function*() {
    const valid = { apiKey: Redacted.make("key"), baseUrl: "https://host.test" }
    const errorOf = (layer: ReturnType<typeof DataApi.layer> | ReturnType<typeof DataApi.layerConfig>) =>
      Layer.build(layer).pipe(
        Effect.scoped,
        Effect.either,
        Effect.map(
          Either.match({ onLeft: (error) => String(error).slice(1, -1).split(") and ("), onRight: () => [] })
        ),
        Effect.provideService(HttpClient.HttpClient, ScriptedClient.make([]).client)
      )
    const errors = yield* errorsOf(layers, (options) =>
      Effect.gen(function*() {
        const error = yield* errorOf(DataApi.layer({ ...valid, ...options }))
        expect(yield* errorOf(DataApi.layerConfig({ ...valid, ...options }))).toEqual(error)
        return error
      }))
    yield* Effect.promise(() => record("errors.layerOptions", errors))
    const none = {
      cache: ResponseCache.none,
      timeouts: Timeouts.none,
      retry: RetryPolicy.none,
      rateLimit: RateLimit.none,
      breaker: CircuitBreaker.none,
      concurrency: ConcurrencyLimit.none
    }
    expect(yield* errorOf(DataApi.layer({ ...valid, ...none }))).toEqual([])
  }))

const calls = [
  ...[0, "NaN", "secret"].map((value) =>
    [`every option is ${value}`, {
      retry: retry(value),
      timeouts: { attempt: value, call: value },
      cacheMode: value,
      decoding: value,
      onResponse: value,
      cursor: value,
      maxPages: value === 0 ? -1 : value,
      maxItems: value === 0 ? 1.5 : value,
      prefetch: value === 0 ? -1 : value
    }] as const
  ),
  ...[{ cacheMod: "reload" }, { retry: 3 }, null, 5, []].map(named)
]

it.effect("errors.callOptions", () =>
  Effect.gen(function*() {
    const { data, requests } = yield* TestClients.harness([])
    const errors = yield* errorsOf(calls, (options) =>
      Effect.gen(function*() {
        const { items, pages } = data.tokenOwners
        const input = { token_address: address }
        const messages = yield* Effect.forEach([
          data.tokenPrice({ address }, options),
          withCallOptions(data.tokenPrice({ address }), options),
          Stream.runDrain(pages(input, options)),
          Stream.runDrain(items(input, options))
        ], (call: Effect.Effect<unknown, { readonly message: string }>) =>
          Effect.map(Effect.flip(call), ({ message }) => message.replace(/^\w+: /, "").split("; ")))
        const [message = []] = messages
        for (const other of messages) {
          expect(other).toEqual(message)
        }
        return message
      }).pipe(Effect.orDie))
    expect(requests).toEqual([])
    yield* Effect.promise(() => record("errors.callOptions", errors))
  }))
