/** Sends requests of every operation through the HTTP server and compares the responses with the upstream's. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaults } from "../../src/config/Config.ts"
import { examples, ledger, sendRequest, start, testConfig } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const sampleOf = (id: string) => {
  const sample = sampleRequests[id]
  if (sample === undefined) throw new Error(`no sample request for ${id}`)
  return sample
}

describe("every operation", () => {
  for (const operation of allOperations) {
    it.scopedLive(`${operation.id} returns the upstream's response byte for byte`, () =>
      Effect.gen(function*() {
        const { body, path } = sampleOf(operation.id)
        const twin = yield* Sandbox.make({ ledger })
        const expected = yield* twin.handle({
          method: operation.method,
          url: path,
          headers: { "x-api-key": Sandbox.apiKey },
          body: body ?? ""
        })
        const { port, sandbox } = yield* start()
        const response = yield* sendRequest(port, path, {
          method: operation.method,
          ...(body === undefined ? {} : { body })
        })
        expect(response.status).toBe(200)
        expect(response.bytes.equals(Buffer.from(expected.body))).toBe(true)
        expect(response.headers["content-type"]).toBe(expected.headers["content-type"])
        expect(response.headers["content-length"]).toBe(String(response.bytes.byteLength))
        expect((yield* sandbox.recordedRequests).map((seen) => seen.operation)).toEqual([operation.id])
      }))
  }

  it.scopedLive("returns an error response of the upstream unchanged", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const path = `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`
      const expected = yield* sandbox.handle({
        method: "GET",
        url: path,
        headers: { "x-api-key": Sandbox.apiKey },
        body: ""
      })
      const response = yield* sendRequest(port, path)
      expect(response.status).toBe(expected.status)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.bytes.equals(Buffer.from(expected.body))).toBe(true)
    }))

  it.scopedLive("returns the next page for the cursor of a page", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const path = `/api/v2.2/erc20/${examples.busyToken}/transfers?chain=0x1&limit=50`
      const first = JSON.parse((yield* sendRequest(port, path)).text)
      const second = JSON.parse(
        (yield* sendRequest(port, `${path}&cursor=${encodeURIComponent(first.cursor)}`)).text
      )
      expect(first.result).toHaveLength(50)
      expect(second.result).toHaveLength(50)
      expect(second.result[0]).not.toEqual(first.result[0])
    }))
})

describe("the ledger", () => {
  it.scopedLive("is chosen by the network parameter, which is not forwarded, with or without /v1", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const [hash] = [...ledger.transactions.testnet.keys()].filter((key) =>
        !ledger.transactions.mainnet.has(key)
      )
      const path = `/v1/transactions/by_hash/${hash}`
      expect((yield* sendRequest(port, `${path}?network=testnet`)).status).toBe(200)
      expect((yield* sendRequest(port, `${path}?network=mainnet`)).status).toBe(404)
      expect((yield* sendRequest(port, path)).status).toBe(404)
      expect((yield* sendRequest(port, `${path}?network=`)).status).toBe(404)
      const seen = yield* sandbox.recordedRequests
      expect(seen.map(({ path }) => path)).toEqual([
        `/testnet/transactions/by_hash/${hash}`,
        ...Array.from({ length: 3 }, () => `/transactions/by_hash/${hash}`)
      ])
      expect(seen.flatMap(({ query }) => query)).toEqual([])
    }))

  it.scopedLive("rejects an unknown network and two networks", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      for (const query of ["network=devnet", "network=mainnet&network=testnet"]) {
        const response = yield* sendRequest(port, `/transactions/by_hash/${examples.transaction}?${query}`)
        expect(response.status).toBe(400)
        expect(JSON.parse(response.text)).toMatchObject({ code: "invalid-request" })
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))
})

describe("methods", () => {
  it.scopedLive("HEAD returns the headers of GET without a body", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const { path } = sampleOf("walletTransfers")
      const head = yield* sendRequest(port, path, { method: "HEAD" })
      const get = yield* sendRequest(port, path)
      expect(head.status).toBe(200)
      expect(head.bytes.byteLength).toBe(0)
      expect(head.headers["content-length"]).toBe(String(get.bytes.byteLength))
    }))

  it.scopedLive("OPTIONS lists the methods of a path; other methods get 405 with the same Allow header", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      for (const { id, method } of allOperations) {
        const { path } = sampleOf(id)
        const allow = method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
        const options = yield* sendRequest(port, path, { method: "OPTIONS" })
        expect([options.status, options.headers["allow"], options.text]).toEqual([204, allow, ""])
        for (const otherMethod of [method === "GET" ? "POST" : "GET", "PUT", "DELETE", "PATCH"]) {
          const rejected = yield* sendRequest(port, path, { method: otherMethod })
          expect([rejected.status, rejected.headers["allow"]]).toEqual([405, allow])
          expect(JSON.parse(rejected.text)).toMatchObject({ code: "method-not-allowed" })
        }
      }
      expect((yield* sendRequest(port, "/livez", { method: "POST" })).status).toBe(405)
      expect((yield* sendRequest(port, "*", { method: "OPTIONS" })).status).toBe(204)
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))
})

describe("the body of an update", () => {
  const path = `/streams/evm/${examples.stream}/status`

  it.scopedLive("must be one JSON object with a known status", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const invalid: ReadonlyArray<readonly [string, string]> = [
        ["", "not-json"],
        ["{", "not-json"],
        ["status=paused", "not-json"],
        [`["paused"]`, "not-json"],
        ["null", "not-json"],
        [`"paused"`, "not-json"],
        ["{}", "invalid-request"],
        [`{"status":"sleeping"}`, "invalid-request"],
        [`{"status":["paused"]}`, "invalid-request"]
      ]
      for (const [body, code] of invalid) {
        const response = yield* sendRequest(port, path, { method: "POST", body })
        expect([body, response.status, JSON.parse(response.text).code]).toEqual([body, 400, code])
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
      expect((yield* sendRequest(port, path, { method: "POST", body: ` {"status" : "error"} ` })).status)
        .toBe(200)
      expect((yield* sandbox.recordedRequests).map(({ body }) => body)).toEqual([`{"status":"error"}`])
    }))

  it.scopedLive("is limited in length and must not be compressed", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const long = yield* sendRequest(port, path, {
        method: "POST",
        body: `{"status":"${"p".repeat(200_000)}"}`
      })
      expect([long.status, JSON.parse(long.text).code]).toEqual([413, "body-too-large"])
      const chunked = yield* sendRequest(port, path, {
        method: "POST",
        headers: { "transfer-encoding": "chunked" },
        body: "x".repeat(200_000)
      })
      expect(chunked.status).toBe(413)
      const packed = yield* sendRequest(port, path, {
        method: "POST",
        headers: { "content-encoding": "gzip" },
        body: "x"
      })
      expect(packed.status).toBe(415)
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))
})

describe("cross-site requests", () => {
  const path = `/streams/evm/${examples.stream}/status`
  const change = { method: "POST", body: `{"status":"terminated"}` }

  it.scopedLive("are rejected unless the body is declared as JSON, which requires a CORS preflight", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const types = ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"]
      for (const type of [...types, "application/jsonp", "text/plain; application/json"]) {
        const response = yield* sendRequest(port, path, { ...change, headers: { "content-type": type } })
        const { code, message } = JSON.parse(response.text)
        expect([type, response.status, code]).toEqual([type, 415, "unsupported-media-type"])
        expect(message).toContain("content-type: application/json")
      }
      const preflight = yield* sendRequest(port, path, {
        method: "OPTIONS",
        headers: { origin: "http://evil.example", "access-control-request-method": "POST" }
      })
      expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
      expect(yield* sandbox.recordedRequests).toEqual([])
      for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json ;a=b"]) {
        const response = yield* sendRequest(port, path, { ...change, headers: { "content-type": type } })
        expect([type, response.status]).toEqual([type, 200])
      }
    }))

  it.scopedLive("are rejected unless the Origin header is the proxy's own", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start({
        config: { ...testConfig(), listen: { ...defaults.listen, port: 0, allowedHosts: ["quarry.example"] } }
      })
      const host = `127.0.0.1:${port}`
      for (const type of ["text/plain", "application/json"]) {
        for (
          const origin of [
            "http://evil.example",
            "null",
            "",
            `http://${host}.evil.example`,
            "http://127.0.0.1:1"
          ]
        ) {
          const response = yield* sendRequest(port, path, {
            ...change,
            headers: { "content-type": type, origin }
          })
          expect([origin, response.status, JSON.parse(response.text).code]).toEqual([
            origin,
            403,
            "cross-site"
          ])
        }
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
      const own: ReadonlyArray<Record<string, string>> = [
        { origin: `http://${host}` },
        { origin: "https://Quarry.example", host: "quarry.EXAMPLE" }
      ]
      for (const headers of own) {
        expect((yield* sendRequest(port, path, { ...change, headers })).status).toBe(200)
      }
    }))
})

describe("request ids", () => {
  it.scopedLive("a valid one is kept, an invalid one is replaced", () =>
    Effect.gen(function*() {
      const { lines, port } = yield* start()
      const valid = yield* sendRequest(port, "/livez", { headers: { "X-Request-Id": "Trace_1.a-b" } })
      expect(valid.headers["x-request-id"]).toBe("Trace_1.a-b")
      for (const id of ["a b", "<script>", "x".repeat(65), ""]) {
        const response = yield* sendRequest(port, "/nowhere", { headers: { "x-request-id": id } })
        const generated = response.headers["x-request-id"]
        expect(generated).toMatch(/^[0-9a-f-]{36}$/)
        expect(JSON.parse(response.text)).toMatchObject({ code: "unknown-path", requestId: generated })
      }
      // Successful probes are not logged
      expect(lines.map((line) => JSON.parse(line).code)).toEqual(Array(4).fill("unknown-path"))
    }))
})
