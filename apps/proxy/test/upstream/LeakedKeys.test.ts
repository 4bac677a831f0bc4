/** API keys of another upstream, in responses fetched in the background. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaults } from "../../src/config/Config.ts"
import { examples, keys, sendRequest, start, testConfig, testEndpoints } from "../support/proxy.ts"
import { upstreamOf } from "../support/staticUpstream.ts"

const path = `/api/v2.2/erc20/${examples.token}/price?chain=eth`

const theirs = "canary-of-the-streams"

const between = {
  ...testEndpoints,
  keys: {
    ...keys({ label: "main", key: Redacted.make(Sandbox.apiKey) }),
    streams: [{ label: "streams", key: Redacted.make(theirs) }]
  }
}

describe("a response that quotes the key of another upstream", () => {
  const quoting = [
    ["its body", { usdPrice: 2, tokenName: theirs }, {}],
    ["a header", { usdPrice: 2 }, { "last-modified": theirs }]
  ] as const

  for (const [where, document, headers] of quoting) {
    it.scopedLive(`in ${where} is not served after a background revalidation`, () =>
      Effect.gen(function*() {
        const clock = { now: Date.UTC(2026, 0, 1) }
        let requestCount = 0
        const httpClient = upstreamOf(() => {
          requestCount += 1
          return requestCount === 1 ? Response.json({ usdPrice: 1 }) : Response.json(document, { headers })
        })
        const { port } = yield* start({
          httpClient,
          endpoints: between,
          config: { ...testConfig(), cache: defaults.cache },
          clock: () => clock.now
        })
        yield* sendRequest(port, path)
        clock.now += 7000
        for (let times = 2; times < 4; times++) {
          const response = yield* sendRequest(port, path)
          expect(response.headers["cache-status"]).toMatch(/stale/)
          expect(JSON.stringify(response)).not.toContain(theirs)
          yield* sendRequest(port, "/livez").pipe(
            Effect.repeat({ until: () => requestCount === times, times: 1000 })
          )
        }
      }))
  }

  it.scopedLive("in a page of a list is not cached for single requests either", () =>
    Effect.gen(function*() {
      let requestCount = 0
      const record = { token_address: examples.token, token_id: "1", metadata: theirs }
      const httpClient = upstreamOf(() => {
        requestCount += 1
        return Response.json({ result: [record], cursor: null })
      })
      const { port } = yield* start({
        httpClient,
        endpoints: between,
        config: { ...testConfig(), cache: defaults.cache }
      })
      for (const prefix of ["/all", "", "/all", ""]) {
        const response = yield* sendRequest(
          port,
          `${prefix}/api/v2.2/nft/${examples.collection721}?chain=eth`
        )
        expect([response.status, JSON.parse(response.text).code]).toEqual([502, "upstream-error"])
        expect(JSON.stringify(response)).not.toContain(theirs)
      }
      expect(requestCount).toBe(4)
    }))
})
