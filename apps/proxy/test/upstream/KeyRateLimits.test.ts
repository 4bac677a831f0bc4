/** The engine's rate limits and circuit breaker, as clients see them. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { examples, keys, sendRequest, start, testEndpoints } from "../support/proxy.ts"
import { staticUpstream } from "../support/staticUpstream.ts"

const path = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth`

describe("the proxy's own limits", () => {
  it.scopedLive("reject with Retry-After, and send nothing upstream", () =>
    Effect.gen(function*() {
      // A page costs more than the limit, and is admitted alone if no units are in use
      const rateLimit = RateLimit.make({ limit: 3, window: "1 hour", maxWait: 0 })
      const { port, sandbox } = yield* start({
        endpoints: {
          ...testEndpoints,
          keys: keys({ label: "main", key: Redacted.make(Sandbox.apiKey), rateLimit })
        }
      })
      expect((yield* sendRequest(port, path)).status).toBe(200)
      const rejected = yield* sendRequest(port, path)
      expect([rejected.status, JSON.parse(rejected.text).code]).toEqual([429, "upstream-local-limit"])
      expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(3500)
      expect(yield* sandbox.recordedRequests).toHaveLength(1)
    }))

  it.scopedLive("open the circuit breaker after repeated failures", () =>
    Effect.gen(function*() {
      const { port } = yield* start({
        httpClient: staticUpstream(500, "{}", { "content-type": "application/json" })
      })
      // Five calls of four attempts each
      for (let call = 0; call < 5; call++) expect((yield* sendRequest(port, path)).status).toBe(500)
      const rejected = yield* sendRequest(port, path)
      expect([rejected.status, JSON.parse(rejected.text).code]).toEqual([503, "circuit-open"])
      expect(Number(rejected.headers["retry-after"])).toBeLessThanOrEqual(5)
    }))
})
