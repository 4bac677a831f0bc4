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
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { record } from "../../../core/test/golden/support/record.ts"
import { withCallOptions } from "../../src/CallOptions.ts"
import { address } from "../support/Examples.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

/** JSON has no such number. */
const numbers = (_: string, value: unknown): unknown => value === "NaN" ? Number.NaN : value

/**
 * The errors of options, without the types that TypeScript checks. Each names its option and shows no secret. The record is the
 * list of cases: a new one has the options as JSON, whose errors `vitest -u` writes.
 */
const errorsOf = (
  name: string,
  everyOption: (value: unknown) => object,
  errorOf: (options: object) => Effect.Effect<ReadonlyArray<string>>
) =>
  Effect.gen(function*() {
    const titles: object = JSON.parse(readFileSync(new URL(`records/${name}.json`, import.meta.url), "utf8"))
    const errors = yield* Effect.all(Rec.map({ ...titles }, (_, title: string) => {
      const [, every] = /^every option is (.*)$/.exec(title) ?? []
      return errorOf(
        every === undefined
          ? JSON.parse(title, numbers)
          : everyOption(every === "secret" ? every : Number(every))
      )
    }))
    expect(Object.values(errors).join()).not.toContain("secret")
    yield* Effect.promise(() => record(name, errors))
  })

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
    yield* errorsOf("errors.layerOptions", policies, (options) =>
      Effect.gen(function*() {
        const error = yield* errorOf(DataApi.layer({ ...valid, ...options }))
        expect(yield* errorOf(DataApi.layerConfig({ ...valid, ...options }))).toEqual(error)
        return error
      }))
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

const callOptions = (value: unknown) => ({
  retry: retry(value),
  timeouts: { attempt: value, call: value },
  cacheMode: value,
  decoding: value,
  onResponse: value,
  cursor: value,
  maxPages: value === 0 ? -1 : value,
  maxItems: value === 0 ? 1.5 : value,
  prefetch: value === 0 ? -1 : value
})

it.effect("errors.callOptions", () =>
  Effect.gen(function*() {
    const { data, requests } = yield* TestClients.harness([])
    yield* errorsOf("errors.callOptions", callOptions, (options) =>
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
  }))
