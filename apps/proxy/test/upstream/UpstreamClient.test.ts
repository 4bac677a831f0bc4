/** Upstream failures, missing settings and API keys. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { gzipSync } from "node:zlib"
import { examples, keys, sendRequest, start, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { staticUpstream } from "../support/staticUpstream.ts"

const path = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth`

const json = { "content-type": "application/json" }

describe("error responses", () => {
  const table: ReadonlyArray<readonly [status: number, body: string, becomes: number, code: string | null]> =
    [
      [400, `{"message":"chain must be a valid enum value"}`, 400, null],
      [404, `{"message":"not found"}`, 404, null],
      [408, `{}`, 408, null],
      [409, `{}`, 409, null],
      [410, "", 410, null],
      [422, `<html>no</html>`, 422, null],
      [429, `{"message":"slow down"}`, 429, null],
      [451, `{}`, 451, null],
      [500, `{"message":["a","b"]}`, 500, null],
      [501, ``, 501, null],
      [503, `<html>down</html>`, 503, null],
      [599, `{}`, 599, null],
      [401, `{"message":"Invalid key"}`, 502, "upstream-authentication-failed"],
      [403, `{"message":"Forbidden"}`, 502, "upstream-authentication-failed"],
      [407, `{}`, 502, "upstream-authentication-failed"],
      [424, `{}`, 502, "upstream-authentication-failed"],
      [402, `{"message":"pay"}`, 502, "upstream-plan-exhausted"],
      [401, `{"message":"Your plan's daily usage has been consumed"}`, 502, "upstream-plan-exhausted"],
      [301, "", 502, "upstream-invalid-response"],
      [302, `{"a":1}`, 502, "upstream-invalid-response"],
      [304, "", 502, "upstream-invalid-response"],
      [307, "", 502, "upstream-invalid-response"],
      [201, `{"result":[]}`, 502, "upstream-invalid-response"],
      [204, "", 502, "upstream-invalid-response"],
      [206, `{"result":[]}`, 502, "upstream-invalid-response"],
      [200, `{"result":[`, 502, "upstream-invalid-response"],
      [200, "", 502, "upstream-invalid-response"],
      [200, "<html>busy</html>", 502, "upstream-invalid-response"],
      [200, "null", 200, null],
      [200, `\ufeff{"result":[]}`, 200, null]
    ]

  for (const [status, body, becomes, code] of table) {
    it.scopedLive(`${status} ${body.slice(0, 30)} becomes ${code === null ? "itself" : `${becomes} ${code}`}`, () =>
      Effect.gen(function*() {
        const bodyless = [204, 304].includes(status)
        const httpClient = staticUpstream(status, bodyless ? null : body, {
          ...json,
          location: "http://elsewhere.invalid/",
          "set-cookie": "session=1",
          "x-ratelimit-remaining": "3"
        })
        const { port } = yield* start({ httpClient })
        const response = yield* sendRequest(port, path)
        expect(response.status).toBe(becomes)
        expect(response.headers["location"]).toBeUndefined()
        expect(response.headers["set-cookie"]).toBeUndefined()
        if (code === null) {
          expect(response.bytes.equals(Buffer.from(body))).toBe(true)
          // The remaining quota of the proxy's key is not forwarded
          expect(response.headers["x-ratelimit-remaining"]).toBeUndefined()
        } else {
          const document = JSON.parse(response.text)
          expect(document).toEqual({
            code,
            message: expect.any(String),
            requestId: response.headers["x-request-id"]
          })
        }
      }))
  }

  it.scopedLive("a 429 keeps its Retry-After", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      yield* sandbox.queueFaults({ status: 429, "retry-after": "120" })
      const response = yield* sendRequest(port, path)
      expect([response.status, response.headers["retry-after"]]).toEqual([429, "120"])
    }))

  it.scopedLive("a transient failure is retried", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      yield* sandbox.queueFaults({ status: 503 }, { kind: "reset" }, { kind: "bad-json" })
      expect((yield* sendRequest(port, path)).status).toBe(200)
      expect(yield* sandbox.recordedRequests).toHaveLength(4)
    }))
})

describe("no response", () => {
  it.scopedLive("returns 502 without a connection, and does not reveal the URL", () =>
    Effect.gen(function*() {
      const httpClient = HttpClient.make((request) =>
        Effect.fail(
          new HttpClientError.RequestError({
            request,
            reason: "Transport",
            cause: Object.assign(new Error("connect 10.1.2.3"), { code: "ECONNREFUSED" })
          })
        )
      )
      const { port } = yield* start({ httpClient })
      const response = yield* sendRequest(port, path)
      expect(response.status).toBe(502)
      expect(JSON.parse(response.text)).toMatchObject({ code: "upstream-unreachable" })
      expect(response.text).not.toContain("10.1.2.3")
    }))

  it.scopedLive("returns 504 after a timeout", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ httpClient: HttpClient.make(() => Effect.never), instantClock: true })
      const response = yield* sendRequest(port, path)
      expect([response.status, JSON.parse(response.text).code]).toEqual([504, "upstream-timeout"])
    }))

  it.scopedLive("does not retry an update that may have been applied, and reports it", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      yield* sandbox.queueFaults({ kind: "reset" })
      const response = yield* sendRequest(port, `/streams/evm/${examples.stream}/status`, {
        method: "POST",
        body: `{"status":"paused"}`
      })
      expect(response.status).toBe(502)
      expect(JSON.parse(response.text).message).toContain("may have been applied")
      expect(yield* sandbox.recordedRequests).toHaveLength(1)
    }))

  it.scopedLive("returns 502 for a response over 16 MiB", () =>
    Effect.gen(function*() {
      const limit = 16 * 1024 * 1024
      const httpClient = staticUpstream(200, "{}", { ...json, "content-length": String(limit + 1) })
      const { port } = yield* start({ httpClient })
      const response = yield* sendRequest(port, path)
      expect([response.status, JSON.parse(response.text).code]).toEqual([502, "upstream-invalid-response"])
      expect(JSON.parse(response.text).message).toContain(`${limit} bytes`)
    }))

  it.scopedLive("returns 500 for a defect, and logs it", () =>
    Effect.gen(function*() {
      const { lines, port } = yield* start({
        httpClient: HttpClient.make(() => Effect.die(new Error("a bug")))
      })
      const response = yield* sendRequest(port, path)
      expect([response.status, JSON.parse(response.text).code]).toEqual([500, "internal"])
      expect(response.text).not.toContain("a bug")
      expect(lines.join("\n")).toContain("a bug")
    }))
})

describe("missing settings", () => {
  const none = {
    data: undefined,
    streams: undefined,
    ledger: undefined,
    ledgerTestnet: undefined
  }

  it.scopedLive("a missing base URL fails only the requests that need it", () =>
    Effect.gen(function*() {
      const { port } = yield* start({
        endpoints: { ...testEndpoints, baseUrls: { ...none, streams: Sandbox.baseUrls.streams } }
      })
      const update = sampleRequests["updateStreamStatus"]
      expect(
        (yield* sendRequest(port, update?.path ?? "", { method: "POST", body: update?.body ?? "" })).status
      )
        .toBe(200)
      const ledger = sampleRequests["ledgerTransaction"]?.path ?? ""
      const named: ReadonlyArray<readonly [string, string]> = [
        [path, "QUARRY_BASE_URL"],
        [ledger, "QUARRY_LEDGER_URL"],
        [`${ledger}?network=testnet`, "QUARRY_LEDGER_TESTNET_URL"]
      ]
      for (const [target, setting] of named) {
        const response = yield* sendRequest(port, target)
        expect([response.status, JSON.parse(response.text).code]).toEqual([503, "upstream-url-missing"])
        expect(JSON.parse(response.text).message).toMatch(new RegExp(`\\b${setting}\\b`))
      }
      const ready = yield* sendRequest(port, "/readyz")
      expect([ready.status, JSON.parse(ready.text)]).toEqual([200, {
        status: "ready",
        upstream: { "sandbox.invalid": "closed" },
        configured: {
          data: false,
          streams: true,
          ledger: false,
          ledgerTestnet: false
        },
        missing: {
          data: expect.stringContaining("set upstream.baseUrls.data or QUARRY_BASE_URL"),
          ledger: expect.stringContaining("set upstream.baseUrls.ledger or QUARRY_LEDGER_URL"),
          ledgerTestnet: expect.stringContaining(
            "set upstream.baseUrls.ledgerTestnet or QUARRY_LEDGER_TESTNET_URL"
          )
        }
      }])
    }))

  it.scopedLive("a missing key fails every request, and the readiness probe", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start({ endpoints: { ...testEndpoints, keys: keys() } })
      const response = yield* sendRequest(port, path, { headers: { "x-api-key": Sandbox.apiKey } })
      expect([response.status, JSON.parse(response.text).code]).toEqual([503, "upstream-key-missing"])
      expect(JSON.parse(response.text).message).toContain("QUARRY_API_KEY")
      const ready = yield* sendRequest(port, "/readyz")
      expect(ready.status).toBe(503)
      expect(JSON.parse(ready.text).missing.data).toMatch(
        /add a key for data to upstream\.keys, or set QUARRY_API_KEY/
      )
      expect((yield* sendRequest(port, "/livez")).status).toBe(200)
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))

  it.scopedLive("the liveness probe succeeds without any settings", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ endpoints: { keys: keys(), baseUrls: none } })
      expect((yield* sendRequest(port, "/livez")).status).toBe(200)
      expect((yield* sendRequest(port, "/openapi.json")).status).toBe(200)
      expect((yield* sendRequest(port, "/readyz")).status).toBe(503)
      expect((yield* sendRequest(port, path)).status).toBe(503)
    }))
})

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
