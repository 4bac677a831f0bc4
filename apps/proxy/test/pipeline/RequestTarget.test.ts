/** Sends ambiguous request targets: none of them reaches the upstream. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples, raw, start } from "../support/proxy.ts"

const { stream, token, wallet } = examples
const data = "/api/v2.2"
const transfers = `${data}/${wallet}/erc20/transfers`

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n`

describe("targets on the wire", () => {
  const hostile: ReadonlyArray<string> = [
    // Dot segments, plain and encoded
    `${data}/../v2.2/${wallet}/erc20/transfers`,
    `${data}/./${wallet}/erc20/transfers`,
    `${data}/%2e%2e/v2.2/${wallet}/erc20/transfers`,
    `${data}/.%2E/v2.2/${wallet}/erc20/transfers`,
    `${data}/%2e/${wallet}/erc20/transfers`,
    `${data}/erc20/../${wallet}/erc20/transfers`,
    `${data}/nft/${token}/..`,
    `${data}/nft/${token}/%2e%2e`,
    `${data}/nft/${token}/../../admin`,
    "/streams/evm/../status",
    "/streams/evm/%2e%2e/status",
    // Encoded and other separators inside a segment
    `${data}/${wallet}%2ferc20%2ftransfers`,
    `${data}/${wallet}%2Ferc20/transfers`,
    `/streams/evm/${stream}%2f..%2fother/status`,
    `/streams/evm/a%5cb/status`,
    `/streams/evm/a\\b/status`,
    `${data}\\${wallet}\\erc20\\transfers`,
    // Empty segments
    `/${transfers}`,
    `${data}//${wallet}/erc20/transfers`,
    `${transfers}/`,
    `${data}/nft//1`,
    "/streams/evm//status",
    // Control characters, delimiters and invalid encodings
    `/streams/evm/a%00b/status`,
    `/streams/evm/a%0d%0ab/status`,
    `/streams/evm/a%7fb/status`,
    `/streams/evm/a%c2%85b/status`,
    `${transfers}#fragment`,
    `${transfers};a=b`,
    `/streams/evm/%/status`,
    `/streams/evm/%zz/status`,
    `/streams/evm/%ff/status`,
    `/streams/evm/\xff/status`,
    `${transfers}?cursor=%ff`,
    `${transfers}?cursor=%`,
    // Other forms of a request target
    `http://127.0.0.1${transfers}`,
    `http://elsewhere.invalid${transfers}`,
    `//elsewhere.invalid${transfers}`,
    `@elsewhere.invalid${transfers}`,
    "*",
    // Paths of no operation
    "/api/v2.1/erc20",
    `/api/v2${transfers.slice(data.length)}`,
    `/API/V2.2${transfers.slice(data.length)}`,
    `/v1${transfers}`,
    `/v1/streams/evm/${stream}/status`,
    `/v1/v1/transactions/by_hash/${examples.transaction}`,
    `${data}/transactions/by_hash/${examples.transaction}`,
    "/testnet/transactions/by_hash/0x",
    "/__proto__/constructor",
    "/favicon.ico"
  ]

  it.scopedLive("are rejected with 400, 404 or 405 if they are not the plain path of an operation", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      for (const target of hostile) {
        const response = yield* raw(port, get(target))
        expect([target, response.slice(0, 12)]).toEqual([
          target,
          expect.stringMatching(/^HTTP\/1\.1 40[045]$/)
        ])
        expect(response).toMatch(
          /"code":"(malformed-uri|malformed-request|unknown-path|method-not-allowed|invalid-request)"/
        )
      }
      expect(yield* sandbox.recordedRequests).toEqual([])
    }))

  const malformed: ReadonlyArray<string> = [
    "GET /livez\rX HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: b\rInjected: c\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\x00b\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /livez\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "FETCH /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
  ]

  it.scopedLive("malformed HTTP is rejected, and the connection is closed", () =>
    Effect.gen(function*() {
      const { lines, port, sandbox } = yield* start()
      for (const text of malformed) {
        const response = yield* raw(
          port,
          text.replace("Host: localhost\r\n", "Host: localhost\r\nConnection: close\r\n")
        )
        expect([text, response.slice(0, 12)]).toEqual([text, "HTTP/1.1 400"])
        expect(response).toContain(`"code":"malformed-request"`)
      }
      const long = yield* raw(
        port,
        `GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`
      )
      expect(long.slice(0, 12)).toBe("HTTP/1.1 431")
      expect(yield* sandbox.recordedRequests).toEqual([])
      expect(lines).toHaveLength(malformed.length + 1)
    }))

  it.scopedLive("garbage after a request does not change its response", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const response = yield* raw(
        port,
        `${get("/livez").replace("close", "keep-alive")}\x00\x01garbage\r\n\r\n`
      )
      expect(response).not.toMatch(/HTTP\/1\.1 400[^]*HTTP\/1\.1 200/)
    }))

  it.scopedLive("pipelined requests get their responses in order", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const response = yield* raw(
        port,
        `GET ${transfers}?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n${
          get("/nowhere")
        }`
      )
      expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 404"])
      expect(response.indexOf("transaction_hash")).toBeLessThan(response.indexOf(`"live"`))
    }))
})
