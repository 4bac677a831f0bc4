/** Every operation through the real server: what the service says comes out unchanged. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaults } from "../../src/config/Config.ts"
import { examples, ledger, sendRequest, start, testConfig } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const asked = (id: string) => {
  const question = sampleRequests[id]
  if (question === undefined) throw new Error(`no question for ${id}`)
  return question
}

describe("every operation", () => {
  for (const operation of allOperations) {
    it.scopedLive(`${operation.id} is answered byte for byte`, () =>
      Effect.gen(function*() {
        const { body, path } = asked(operation.id)
        const twin = yield* Sandbox.make({ ledger })
        const expected = yield* twin.handle({
          method: operation.method,
          url: path,
          headers: { "x-api-key": Sandbox.apiKey },
          body: body ?? ""
        })
        const { port, sandbox } = yield* start()
        const answer = yield* sendRequest(port, path, {
          method: operation.method,
          ...(body === undefined ? {} : { body })
        })
        expect(answer.status).toBe(200)
        expect(answer.bytes.equals(Buffer.from(expected.body))).toBe(true)
        expect(answer.headers["content-type"]).toBe(expected.headers["content-type"])
        expect(answer.headers["content-length"]).toBe(String(answer.bytes.byteLength))
        expect((yield* sandbox.recordedRequests).map((seen) => seen.operation)).toEqual([operation.id])
      }))
  }

  it.scopedLive("an answer of failure comes out as it went in", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const path = `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`
      const expected = yield* sandbox.handle({
        method: "GET",
        url: path,
        headers: { "x-api-key": Sandbox.apiKey },
        body: ""
      })
      const answer = yield* sendRequest(port, path)
      expect(answer.status).toBe(expected.status)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.bytes.equals(Buffer.from(expected.body))).toBe(true)
    }))

  it.scopedLive("the cursor of a page is echoed and gives the next page", () =>
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
  it.scopedLive("is chosen by network, which is not sent; a /v1 in front is read", () =>
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

  it.scopedLive("another network is refused", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      for (const query of ["network=devnet", "network=mainnet&network=testnet"]) {
        const answer = yield* sendRequest(port, `/transactions/by_hash/${examples.transaction}?${query}`)
        expect(answer.status).toBe(400)
        expect(JSON.parse(answer.text)).toMatchObject({ code: "invalid-request" })
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))
})

describe("methods", () => {
  it.scopedLive("HEAD is GET without its body", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const { path } = asked("walletTransfers")
      const head = yield* sendRequest(port, path, { method: "HEAD" })
      const get = yield* sendRequest(port, path)
      expect(head.status).toBe(200)
      expect(head.bytes.byteLength).toBe(0)
      expect(head.headers["content-length"]).toBe(String(get.bytes.byteLength))
    }))

  it.scopedLive("OPTIONS says what a path takes, and another method is refused with the same words", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      for (const { id, method } of allOperations) {
        const { path } = asked(id)
        const allow = method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
        const options = yield* sendRequest(port, path, { method: "OPTIONS" })
        expect([options.status, options.headers["allow"], options.text]).toEqual([204, allow, ""])
        for (const other of [method === "GET" ? "POST" : "GET", "PUT", "DELETE", "PATCH"]) {
          const refused = yield* sendRequest(port, path, { method: other })
          expect([refused.status, refused.headers["allow"]]).toEqual([405, allow])
          expect(JSON.parse(refused.text)).toMatchObject({ code: "method-not-allowed" })
        }
      }
      expect((yield* sendRequest(port, "/livez", { method: "POST" })).status).toBe(405)
      expect((yield* sendRequest(port, "*", { method: "OPTIONS" })).status).toBe(204)
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))
})

describe("the body of a change", () => {
  const path = `/streams/evm/${examples.stream}/status`

  it.scopedLive("is one JSON object of a known status", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const refused: ReadonlyArray<readonly [string, string]> = [
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
      for (const [body, code] of refused) {
        const answer = yield* sendRequest(port, path, { method: "POST", body })
        expect([body, answer.status, JSON.parse(answer.text).code]).toEqual([body, 400, code])
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
      expect((yield* sendRequest(port, path, { method: "POST", body: ` {"status" : "error"} ` })).status)
        .toBe(200)
      expect((yield* sandbox.recordedRequests).map(({ body }) => body)).toEqual([`{"status":"error"}`])
    }))

  it.scopedLive("has an end, and is plain", () =>
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

describe("pages of other sites", () => {
  const path = `/streams/evm/${examples.stream}/status`
  const change = { method: "POST", body: `{"status":"terminated"}` }

  it.scopedLive("change nothing: a body must be declared as JSON, about which browsers ask first", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      const types = ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"]
      for (const type of [...types, "application/jsonp", "text/plain; application/json"]) {
        const answer = yield* sendRequest(port, path, { ...change, headers: { "content-type": type } })
        const { code, message } = JSON.parse(answer.text)
        expect([type, answer.status, code]).toEqual([type, 415, "unsupported-media-type"])
        expect(message).toContain("content-type: application/json")
      }
      const asked = yield* sendRequest(port, path, {
        method: "OPTIONS",
        headers: { origin: "http://evil.example", "access-control-request-method": "POST" }
      })
      expect(Object.keys(asked.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
      expect(yield* sandbox.recordedRequests).toEqual([])
      for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json ;a=b"]) {
        const answer = yield* sendRequest(port, path, { ...change, headers: { "content-type": type } })
        expect([type, answer.status]).toEqual([type, 200])
      }
    }))

  it.scopedLive("change nothing: the origin that browsers state must be the proxy's own", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start({
        config: { ...testConfig(), listen: { ...defaults.listen, port: 0, allowedHosts: ["quarry.example"] } }
      })
      const here = `127.0.0.1:${port}`
      for (const type of ["text/plain", "application/json"]) {
        for (
          const origin of [
            "http://evil.example",
            "null",
            "",
            `http://${here}.evil.example`,
            "http://127.0.0.1:1"
          ]
        ) {
          const answer = yield* sendRequest(port, path, {
            ...change,
            headers: { "content-type": type, origin }
          })
          expect([origin, answer.status, JSON.parse(answer.text).code]).toEqual([origin, 403, "cross-site"])
        }
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
      const own: ReadonlyArray<Record<string, string>> = [
        { origin: `http://${here}` },
        { origin: "https://Quarry.example", host: "quarry.EXAMPLE" }
      ]
      for (const headers of own) {
        expect((yield* sendRequest(port, path, { ...change, headers })).status).toBe(200)
      }
    }))
})

describe("request ids", () => {
  it.scopedLive("a safe one is taken over, any other is replaced", () =>
    Effect.gen(function*() {
      const { lines, port } = yield* start()
      const kept = yield* sendRequest(port, "/livez", { headers: { "X-Request-Id": "Trace_1.a-b" } })
      expect(kept.headers["x-request-id"]).toBe("Trace_1.a-b")
      for (const id of ["a b", "<script>", "x".repeat(65), ""]) {
        const answer = yield* sendRequest(port, "/nowhere", { headers: { "x-request-id": id } })
        const given = answer.headers["x-request-id"]
        expect(given).toMatch(/^[0-9a-f-]{36}$/)
        expect(JSON.parse(answer.text)).toMatchObject({ code: "unknown-path", requestId: given })
      }
      // Probes come often, and say nothing as long as they are answered
      expect(lines.map((line) => JSON.parse(line).code)).toEqual(Array(4).fill("unknown-path"))
    }))
})
