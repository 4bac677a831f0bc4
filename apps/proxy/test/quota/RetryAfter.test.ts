/**
 * A long wait is in `RateLimit`, which the library reads, not in `Retry-After`, for which HTTP clients would sleep. The records
 * of quotas have those of clients, teams and keys.
 */
import * as DataApi from "@blockquarry/http/DataApi"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaults } from "../../src/config/Config.ts"
import { examples, start, testClient } from "../support/proxy.ts"
import * as ScriptedUpstream from "../support/ScriptedUpstream.ts"

const token = "token-of-the-client"

const throttled = (retryAfter: string) =>
  ({ status: 429, body: `{"message":"slow down"}`, headers: { "retry-after": retryAfter } }) as const

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
  it.scopedLive.each([["60", inHeader(60)], ["61", inState(61)], ["4000000", inState(4_000_000)]] as const)(
    "as the upstream does, with Retry-After: %s",
    ([retryAfter, expected]) =>
      Effect.gen(function*() {
        const { client: httpClient, script } = yield* ScriptedUpstream.make()
        const upstream = { ...defaults.upstream, retry: { ...defaults.upstream.retry, attempts: 1 } }
        script(Array.from({ length: 9 }, () => throttled(retryAfter)))
        const { port } = yield* start({
          httpClient,
          clock: () => Date.UTC(2024, 4, 2),
          config: { clients: [testClient("client", token)], upstream }
        })
        expect(yield* waitOf(port)).toEqual(expected)
      })
  )
})
