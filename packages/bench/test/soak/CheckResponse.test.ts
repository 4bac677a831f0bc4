/** What is taken for right, for a failure that says so, and for wrong. */
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
  JSON.stringify({ message: "it failed", code, requestId: "r1", ...more })

it("the document that was asked for is right, from wherever it came", () => {
  const hit = response(200, expected.body(), { "cache-status": "quarry-proxy; hit; ttl=4" })
  expect(headerOf(hit, "cache-status")).toBe("quarry-proxy; hit; ttl=4")
  expect(checkResponse(expected, hit)).toEqual({ verdict: "correct", cache: "hit", form: "whole" })
  expect(checkResponse(expected, response(200, expected.body()))).toEqual({
    verdict: "correct",
    cache: "-",
    form: "whole"
  })
})

it.each([
  ["another chain's", expectedResponse(13).body()],
  ["another token's", expectedResponse(15).body()],
  ["a byte too few", expected.body().slice(0, -1)],
  ["a byte too many", `${expected.body()} `],
  ["a byte changed", expected.body().replace("Granite", "granite")],
  ["nothing", ""],
  ["a page of a web site", "<html>Welcome</html>"]
])("any other document is wrong: %s", (_, body) => {
  expect(checkResponse(expected, response(200, body))).toMatchObject({
    verdict: "incorrect",
    problem: expect.stringContaining(expected.target)
  })
})

it.each([
  [502, "response-invalid"],
  [502, "unreachable"],
  [429, "over-budget"],
  [503, "service-left-alone"],
  [504, "timed-out"]
])("%i %s is a failure of the proxy's own", (status, code) => {
  expect(checkResponse(expected, response(status, proxyErrorBody(code)))).toEqual({
    verdict: "proxy-error",
    name: `${status} ${code}`
  })
})

it("a failure of the service is passed on as it is", () => {
  expect(checkResponse(expected, response(500, "{\"message\":\"the service fails with 500\"}"))).toEqual({
    verdict: "upstream-error",
    name: "500 of the service"
  })
})

it.each([
  ["a bug of the proxy", 500, proxyErrorBody("internal")],
  ["a refusal that nothing led to", 401, proxyErrorBody("token-unknown")],
  ["another code's status", 503, proxyErrorBody("unreachable")],
  ["a code that there is not", 502, proxyErrorBody("broken")],
  ["another request's failure", 502, proxyErrorBody("unreachable", { requestId: "r2" })],
  ["no message", 502, proxyErrorBody("unreachable", { message: "" })],
  ["more than there should be", 502, proxyErrorBody("unreachable", { stack: "at …" })],
  ["no document", 502, "Bad Gateway"],
  ["another document", 502, "[]"],
  ["another status than the service's", 502, "{\"message\":\"the service fails with 500\"}"],
  ["a question that the service does not know", 404, "{\"message\":\"the service fails with 404\"}"],
  ["no content", 204, ""]
])("%s is wrong", (_, status, body) => {
  expect(checkResponse(expected, response(status, body)).verdict).toBe("incorrect")
})

it.each([
  [undefined, "-"],
  ["quarry-proxy; hit; ttl=4", "hit"],
  ["quarry-proxy; hit; ttl=-2; detail=stale", "stale"],
  ["quarry-proxy; fwd=miss", "miss"],
  ["quarry-proxy; fwd=uri-miss; stored", "uri-miss"],
  ["quarry-proxy; fwd=miss; collapsed", "shared"],
  ["quarry-proxy; fwd=bypass", "bypass"]
])("%s is said as %s", (said, word) => {
  expect(cacheResultOf(said)).toBe(word)
})

const withEtag = { kind: "conditional", tag: "W/\"its tag\"" } as const

const withOtherEtag: RequestVariant = { kind: "conditional", tag: unmatchedEtag }

it.each(
  [
    ["gzip", gzipSync],
    ["br", brotliCompressSync]
  ] as const
)(
  "a document in %s is right where it was asked for so, and decodes to what was asked for",
  (encoding, encode) => {
    const manner: RequestVariant = { kind: "encoded", encoding }
    const sent = (text: string, headers = { "content-encoding": encoding }) =>
      response(200, encode(text), headers)
    expect(checkResponse(expected, sent(expected.body()), manner)).toMatchObject({
      verdict: "correct",
      form: encoding
    })
    expect(checkResponse(expected, sent(expectedResponse(13).body()), manner).verdict).toBe("incorrect")
    expect(checkResponse(expected, sent(expected.body())).verdict).toBe("incorrect")
    expect(checkResponse(expected, response(200, expected.body()), manner).verdict).toBe("incorrect")
    expect(
      checkResponse(expected, response(200, expected.body(), { "content-encoding": encoding }), manner)
        .verdict
    ).toBe(
      "incorrect"
    )
    expect(
      checkResponse(
        expected,
        response(200, encode(expected.body()).subarray(0, -9), { "content-encoding": encoding }),
        manner
      ).verdict
    )
      .toBe("incorrect")
  }
)

it("who has the document is told so, and sent nothing", () => {
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

it("who has another, or none, is sent it", () => {
  expect(checkResponse(expected, response(200, expected.body()), withOtherEtag)).toMatchObject({
    verdict: "correct",
    form: "whole"
  })
  expect(checkResponse(expected, response(304, "", { etag: unmatchedEtag }), withOtherEtag).verdict).toBe(
    "incorrect"
  )
  expect(checkResponse(expected, response(304, "", { etag: withEtag.tag })).verdict).toBe("incorrect")
})
