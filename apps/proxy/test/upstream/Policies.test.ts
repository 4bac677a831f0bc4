/** A reload applies the policies. The record `upstream-failures` shows how long calls take with the default ones. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { defaults } from "../../src/config/Config.ts"
import { examples, sendRequest, start, testConfig } from "../support/proxy.ts"
import { upstreamOf } from "../support/staticUpstream.ts"

it.scopedLive("the policies of retries and of the circuit breaker are those of the latest configuration", () =>
  Effect.gen(function*() {
    let sent = 0
    const httpClient = upstreamOf(() => {
      sent += 1
      return new Response("{}", { status: 500 })
    })
    const configOf = (attempts: number, minimum: number) => {
      const { circuitBreaker } = defaults.upstream
      const retry = { attempts, baseDelay: Duration.zero, maxDelay: Duration.zero }
      const upstream = { ...defaults.upstream, retry, circuitBreaker: { ...circuitBreaker, minimum } }
      return { ...testConfig(), upstream }
    }
    const { port, reload } = yield* start({ httpClient, config: configOf(1, 100) })
    const path = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
    const request = Effect.map(sendRequest(port, path), ({ status }) => [status, sent])
    expect([yield* request, yield* request]).toEqual([[500, 1], [500, 2]])
    yield* reload(configOf(3, 100))
    expect(yield* request).toEqual([500, 5])
    yield* reload(configOf(1, 6))
    expect([yield* request, yield* request]).toEqual([[500, 6], [503, 6]])
  }))
