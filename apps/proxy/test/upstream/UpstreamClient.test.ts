/** Upstream failures, missing settings and API keys. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { gzipSync } from "node:zlib"
import { examples, keys, sendRequest, start, testEndpoints } from "../support/proxy.ts"
import { staticUpstream } from "../support/staticUpstream.ts"

const path = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth`

const json = { "content-type": "application/json" }

describe("keys", () => {
  it.scopedLive("only the proxy's key is sent upstream, and no key is returned", () =>
    Effect.gen(function*() {
      const canary = "canary-of-the-client"
      const { lines, port, sandbox } = yield* start()
      const headers = {
        "X-API-Key": canary,
        authorization: `Bearer ${canary}`,
        cookie: `key=${canary}`,
        "proxy-authorization": canary,
        "x-moralis-platform": canary,
        "x-sandbox-fault": "status=500",
        "x-forwarded-for": "10.0.0.1"
      }
      const responses = yield* Effect.forEach(
        [path, `${path}&limit=0`, "/nowhere", "/", "/readyz", "/openapi.json"],
        (target) => sendRequest(port, target, { headers })
      )
      expect(responses.map(({ status }) => status)).toEqual([200, 400, 404, 200, 200, 200])
      const seen = yield* sandbox.recordedRequests
      expect(seen).toHaveLength(1)
      expect(seen[0]?.headers["x-api-key"]).toBe(Sandbox.apiKey)
      expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual(["accept", "user-agent", "x-api-key"])
      const outside = JSON.stringify([lines, responses.map(({ headers, text }) => [headers, text])])
      for (const secret of [canary, Sandbox.apiKey]) expect(outside).not.toContain(secret)
      expect(lines.join("\n")).not.toContain(examples.wallet)
    }))

  it.scopedLive("an error message that quotes the key is withheld", () =>
    Effect.gen(function*() {
      const canary = "canary-of-the-proxy"
      for (const status of [401, 302, 201, 200, 400, 404, 500]) {
        const { lines, port } = yield* start({
          endpoints: { ...testEndpoints, keys: keys({ label: "main", key: Redacted.make(canary) }) },
          httpClient: staticUpstream(status, `the key ${canary} is no good`, { ...json, "x-api-key": canary })
        })
        const response = yield* sendRequest(port, path)
        expect(response.status).toBe(502)
        expect(JSON.stringify([lines, response.headers, response.text])).not.toContain(canary)
      }
    }))

  it.scopedLive("a response that quotes the key is withheld, for any status and any valid body", () =>
    Effect.gen(function*() {
      const canary = "canary-of-the-proxy"
      for (const status of [200, 400, 404, 422, 429, 500]) {
        const { port } = yield* start({
          endpoints: { ...testEndpoints, keys: keys({ label: "main", key: Redacted.make(canary) }) },
          httpClient: staticUpstream(status, `{"result":[],"askedWith":"${canary}"}`, json)
        })
        const response = yield* sendRequest(port, path)
        expect([response.status, JSON.parse(response.text).code]).toEqual([502, "upstream-error"])
        expect(JSON.parse(response.text).message).toContain(String(status))
        expect(response.text).not.toContain(canary)
      }
    }))

  it.scopedLive("a response that spells the key differently, or that cannot be searched, is withheld", () =>
    Effect.gen(function*() {
      const canary = "canary/of/the/proxy"
      const utf16 = Buffer.from(`\ufeffthe key ${canary} is no good`, "utf16le")
      const bodies = [
        JSON.stringify({ message: JSON.stringify({ key: canary }).replaceAll("/", "\\/") }),
        JSON.stringify({ message: `/login?key=${encodeURIComponent(canary)}` }),
        `<p>the key ${canary.replaceAll("/", "&#x2F;")} is no good</p>`,
        utf16,
        utf16.subarray(2),
        gzipSync(utf16)
      ]
      for (const body of bodies) {
        const { port } = yield* start({
          endpoints: { ...testEndpoints, keys: keys({ label: "main", key: Redacted.make(canary) }) },
          httpClient: staticUpstream(404, body, json)
        })
        const response = yield* sendRequest(port, path)
        expect([response.status, JSON.parse(response.text).code]).toEqual([502, "upstream-error"])
        expect(JSON.parse(response.text).message).toMatch(/^the upstream responded with 404 .*withheld$/)
      }
    }))
})
