/** A reload applies the policies. The record `upstream-failures` shows how long calls take with the default ones. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Config, defaults } from "../../src/config/Config.ts"
import { examples, sendRequest, start, testConfig } from "../support/proxy.ts"
import { upstreamOf } from "../support/staticUpstream.ts"

const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`

const configOf = (upstream: Partial<Config["upstream"]>): Config => ({
  ...testConfig(),
  upstream: { ...defaults.upstream, ...upstream }
})

const retry = { attempts: 1, baseDelay: Duration.zero, maxDelay: Duration.zero }

/** A proxy whose upstream fails. `request` returns the status, and the number of upstream requests so far. */
const startFailing = Effect.gen(function*() {
  const sent = { count: 0 }
  const httpClient = upstreamOf(() => {
    sent.count += 1
    return new Response("{}", { status: 500 })
  })
  const proxy = yield* start({ httpClient, config: configOf({ retry }) })
  return {
    ...proxy,
    request: Effect.map(sendRequest(proxy.port, price), ({ status }) => [status, sent.count])
  }
})

it.scopedLive("the policy of the circuit breaker", () =>
  Effect.gen(function*() {
    const { reload, request } = yield* startFailing
    expect([yield* request, yield* request]).toEqual([[500, 1], [500, 2]])
    const circuitBreaker = { ...defaults.upstream.circuitBreaker, minimum: 3 }
    yield* reload(configOf({ circuitBreaker, retry }))
    expect([yield* request, yield* request]).toEqual([[500, 3], [503, 3]])
  }))
