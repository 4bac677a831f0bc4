/** Correct responses, errors and incorrect responses. */
import { brotliCompressSync, gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { headerOf, type HttpResponse } from "../../src/Connection.ts"
import { cacheResultOf, checkResponse } from "../../src/soak/CheckResponse.ts"
import { expectedResponse } from "../../src/soak/ExpectedResponse.ts"
import { type RequestVariant, unmatchedEtag } from "../../src/soak/RequestVariant.ts"

const expected = expectedResponse(12)

const response = (
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {}
): HttpResponse => ({
  status,
  head: `HTTP/1.1 ${status} OK\r\n${
    Object.entries({ "x-request-id": "r1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join(
      ""
    )
  }\r\n`,
  body: typeof body === "string" ? Buffer.from(body) : body
})

const proxyErrorBody = (code: string, more: object = {}): string =>
  JSON.stringify({ message: "failed", code, requestId: "r1", ...more })

it("accepts the requested document from cache and upstream", () => {
  const hit = response(200, expected.body(), { "cache-status": "quarry-proxy; hit; ttl=4" })
  expect(headerOf(hit, "cache-status")).toBe("quarry-proxy; hit; ttl=4")
  expect(checkResponse(expected, hit)).toEqual({ verdict: "correct", cache: "hit", form: "complete" })
  expect(checkResponse(expected, response(200, expected.body()))).toEqual({
    verdict: "correct",
    cache: "-",
    form: "complete"
  })
})

it.each([
  ["another chain", expectedResponse(13).body()],
  ["another token", expectedResponse(15).body()],
  ["a missing byte", expected.body().slice(0, -1)],
  ["an additional byte", `${expected.body()} `],
  ["a changed byte", expected.body().replace("Granite", "granite")],
  ["an empty body", ""],
  ["an HTML page", "<html>Welcome</html>"]
])("rejects other documents: %s", (_, body) => {
  expect(checkResponse(expected, response(200, body))).toMatchObject({
    verdict: "incorrect",
    reason: expect.stringContaining(expected.target)
  })
})

it.each([
  [502, "upstream-invalid-response"],
  [502, "upstream-unreachable"],
  [429, "client-rate-limited"],
  [429, "client-quota-exceeded"],
  [429, "upstream-rate-limited"],
  [429, "upstream-local-limit"],
  [503, "circuit-open"],
  [504, "upstream-timeout"]
])("accepts %i %s as an error of the proxy", (status, code) => {
  expect(checkResponse(expected, response(status, proxyErrorBody(code)))).toEqual({
    verdict: "proxy-error",
    name: `${status} ${code}`
  })
})

it("accepts a forwarded error of the upstream", () => {
  expect(checkResponse(expected, response(500, "{\"message\":\"injected failure: 500\"}"))).toEqual({
    verdict: "upstream-error",
    name: "500 from the upstream"
  })
})

it.each([
  ["an internal error of the proxy", 500, proxyErrorBody("internal")],
  ["an unexpected failure code", 401, proxyErrorBody("token-unknown")],
  ["the status of another code", 503, proxyErrorBody("upstream-unreachable")],
  ["an unknown failure code", 502, proxyErrorBody("broken")],
  ["an error of another request", 502, proxyErrorBody("upstream-unreachable", { requestId: "r2" })],
  ["no message", 502, proxyErrorBody("upstream-unreachable", { message: "" })],
  ["an additional field", 502, proxyErrorBody("upstream-unreachable", { stack: "at …" })],
  ["a body that is not JSON", 502, "Bad Gateway"],
  ["another document", 502, "[]"],
  ["an upstream error with another status", 502, "{\"message\":\"injected failure: 500\"}"],
  ["an unknown upstream path", 404, "{\"message\":\"injected failure: 404\"}"],
  ["no content", 204, ""]
])("rejects %s", (_, status, body) => {
  expect(checkResponse(expected, response(status, body)).verdict).toBe("incorrect")
})

it.each([
  [undefined, "-"],
  ["quarry-proxy; hit; ttl=4", "hit"],
  ["quarry-proxy; hit; ttl=-2; detail=stale", "stale"],
  ["quarry-proxy; fwd=miss", "miss"],
  ["quarry-proxy; fwd=uri-miss; stored", "uri-miss"],
  ["quarry-proxy; fwd=miss; collapsed", "coalesced"],
  ["quarry-proxy; fwd=bypass", "bypass"]
])("the cache result of %s is %s", (header, result) => {
  expect(cacheResultOf(header)).toBe(result)
})

const withEtag = { kind: "conditional", tag: "W/\"current\"" } as const

const withOtherEtag: RequestVariant = { kind: "conditional", tag: unmatchedEtag }

it.each(
  [
    ["gzip", gzipSync],
    ["br", brotliCompressSync]
  ] as const
)(
  "accepts a document in %s if it was requested and decodes to the expected document",
  (encoding, encode) => {
    const variant: RequestVariant = { kind: "encoded", encoding }
    const sent = (text: string, headers = { "content-encoding": encoding }) =>
      response(200, encode(text), headers)
    expect(checkResponse(expected, sent(expected.body()), variant)).toMatchObject({
      verdict: "correct",
      form: encoding
    })
    expect(checkResponse(expected, sent(expectedResponse(13).body()), variant).verdict).toBe("incorrect")
    expect(checkResponse(expected, sent(expected.body())).verdict).toBe("incorrect")
    expect(checkResponse(expected, response(200, expected.body()), variant).verdict).toBe("incorrect")
    expect(
      checkResponse(expected, response(200, expected.body(), { "content-encoding": encoding }), variant)
        .verdict
    ).toBe(
      "incorrect"
    )
    expect(
      checkResponse(
        expected,
        response(200, encode(expected.body()).subarray(0, -9), { "content-encoding": encoding }),
        variant
      ).verdict
    )
      .toBe("incorrect")
  }
)

it("accepts 304 if the client has the document", () => {
  const tagged = (tag: string, body = "") => response(304, body, { etag: tag })
  expect(checkResponse(expected, tagged(withEtag.tag), withEtag)).toMatchObject({
    verdict: "correct",
    form: "not modified"
  })
  expect(checkResponse(expected, tagged("W/\"another\""), withEtag).verdict).toBe("incorrect")
  expect(checkResponse(expected, response(304, ""), withEtag).verdict).toBe("incorrect")
  expect(checkResponse(expected, tagged(withEtag.tag, "{}"), withEtag).verdict).toBe("incorrect")
  expect(checkResponse(expected, response(200, expected.body(), { etag: withEtag.tag }), withEtag).verdict)
    .toBe("incorrect")
})

it("rejects 304 if the client has another or no document", () => {
  expect(checkResponse(expected, response(200, expected.body()), withOtherEtag)).toMatchObject({
    verdict: "correct",
    form: "complete"
  })
  expect(checkResponse(expected, response(304, "", { etag: unmatchedEtag }), withOtherEtag).verdict).toBe(
    "incorrect"
  )
  expect(checkResponse(expected, response(304, "", { etag: withEtag.tag })).verdict).toBe("incorrect")
})
