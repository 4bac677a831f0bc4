/** A long wait is in `RateLimit` and the message, not in `Retry-After`, for which HTTP clients would sleep. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaults } from "../../src/config/Config.ts"
import { examples, keys, sendRequest, start, testClient, testEndpoints } from "../support/proxy.ts"
import * as ScriptedUpstream from "../support/ScriptedUpstream.ts"

const token = "token-of-the-client"
const client = (quotas: Parameters<typeof testClient>[2]) => [testClient("client", token, quotas)]
const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
/** 30 days before the end of the month. */
const now = Date.parse("2024-05-02T00:00:00Z")
const month = 30 * 24 * 3600

const throttled = (retryAfter: string) =>
  ({ status: 429, body: `{"message":"slow down"}`, headers: { "retry-after": retryAfter } }) as const

const requestOf = (port: number) => sendRequest(port, price, { headers: { "x-api-key": token } })

/** The `Retry-After`, the time in `RateLimit`, and the wait that the library reads from the response. */
const waitOf = (port: number) =>
  Effect.gen(function*() {
    let headers: Readonly<Record<string, string>> = {}
    const recording = HttpClient.tap(yield* HttpClient.HttpClient, (response) =>
      Effect.sync(() => headers = response.headers))
    const options = {
      apiKey: Redacted.make(token),
      baseUrl: `http://127.0.0.1:${port}/api/v2.2`,
      retry: { attempts: 1 }
    }
    const error = yield* Effect.flip(
      Effect.flatMap(DataApi.DataApi, (data) =>
        data.tokenPrice({ address: examples.token, chain: "eth" }))
        .pipe(
          Effect.provide(DataApi.layer(options)),
          Effect.provideService(HttpClient.HttpClient, recording)
        )
    )
    return {
      header: headers["retry-after"],
      state: /"retry";r=0;t=(\d+)$/.exec(headers["ratelimit"] ?? "")?.[1],
      library: "retryAfter" in error && error.retryAfter !== null
        ? Duration.toSeconds(error.retryAfter)
        : error
    }
  }).pipe(Effect.provide(FetchHttpClient.layer))

const inHeader = (seconds: number) => ({ header: String(seconds), state: undefined, library: seconds })
const inState = (seconds: number) => ({ header: undefined, state: String(seconds), library: seconds })

describe("a response that asks to wait", () => {
  const day = 24 * 3600
  const key = {
    label: "main",
    key: Redacted.make(Sandbox.apiKey),
    rateLimit: { ...RateLimit.none, dailyQuota: 1 }
  }
  const ofKey = { endpoints: { ...testEndpoints, keys: keys(key) } }

  it.scopedLive.each(
    [
      [{ monthlyQuota: 50 }, {}, "resets on day 1 of the month at midnight UTC", month],
      [{ rateLimit: { limit: 1, window: day * 1000 } }, {}, "retry in 3 d", 3 * day],
      [{}, ofKey, "retry in 1 d", day]
    ] as const
  )(
    "has no Retry-After, and the time in its message: %j",
    ([quotas, options, text, seconds]) =>
      Effect.gen(function*() {
        const { port } = yield* start({ clock: () => now, config: { clients: client(quotas) }, ...options })
        yield* requestOf(port)
        expect((yield* requestOf(port)).text).toContain(text)
        expect(yield* waitOf(port)).toEqual(inState(seconds))
      })
  )

  it.scopedLive.each([["60", inHeader(60)], ["61", inState(61)], ["4000000", inState(4_000_000)]] as const)(
    "as the upstream does, with Retry-After: %s",
    ([retryAfter, expected]) =>
      Effect.gen(function*() {
        const { client: httpClient, script } = yield* ScriptedUpstream.make()
        const upstream = { ...defaults.upstream, retry: { ...defaults.upstream.retry, attempts: 1 } }
        script(Array.from({ length: 9 }, () => throttled(retryAfter)))
        const { port } = yield* start({
          httpClient,
          clock: () => now,
          config: { clients: client({}), upstream }
        })
        expect(yield* waitOf(port)).toEqual(expected)
      })
  )
})
