/** Correct responses, errors and incorrect responses. */
import { brotliCompressSync, gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import type { Response } from "../../src/Load.ts"
import { cacheResultOf, checkDocument, checkList, unmatchedTag } from "../../src/soak/CheckResponse.ts"
import { expectedPages } from "../../src/soak/SoakRequest.ts"

const document = "{\"name\":\"Granite\"}"

const response = (
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {}
): Response => ({ status, headers: { "x-request-id": "r1", ...headers }, body: Buffer.from(body) })

const proxyError = (code: string, more: object = {}) => ({
  message: "failed",
  code,
  requestId: "r1",
  ...more
})

it("accepts the requested document from cache and upstream", () => {
  const hit = response(200, document, { "cache-status": "quarry-proxy; hit; ttl=4" })
  expect(checkDocument(document, hit)).toEqual({ verdict: "correct", cache: "hit", form: "complete" })
  expect(checkDocument(document, response(200, document)))
    .toEqual({ verdict: "correct", cache: "-", form: "complete" })
})

it.each([
  ["a missing byte", document.slice(0, -1)],
  ["an additional byte", `${document} `],
  ["a changed byte", document.replace("Granite", "granite")],
  ["an empty body", ""]
])("rejects other documents: %s", (_, body) => {
  expect(checkDocument(document, response(200, body))).toEqual({
    verdict: "incorrect",
    reason: "wrong document"
  })
})

it.each([
  [502, "502 upstream-unreachable", JSON.stringify(proxyError("upstream-unreachable"))],
  [429, "429 client-rate-limited", JSON.stringify(proxyError("client-rate-limited"))],
  [503, "503 circuit-open", JSON.stringify(proxyError("circuit-open"))],
  [500, "500 from the upstream", "{\"message\":\"injected failure: 500\"}"]
])("accepts %i as an expected error: %s", (status, name, body) => {
  expect(checkDocument(document, response(status, body))).toEqual({ verdict: "error", name })
})

it.each([
  ["an internal error of the proxy", 500, proxyError("internal")],
  ["the status of another code", 503, proxyError("upstream-unreachable")],
  ["an unknown failure code", 502, proxyError("broken")],
  ["an error of another request", 502, proxyError("upstream-unreachable", { requestId: "r2" })],
  ["no message", 502, proxyError("upstream-unreachable", { message: "" })],
  ["an additional field", 502, proxyError("upstream-unreachable", { stack: "at …" })],
  ["another document", 502, []],
  ["an upstream error with another status", 502, { message: "injected failure: 500" }],
  ["an unknown upstream path", 404, { message: "injected failure: 404" }]
])("rejects %s", (_, status, body) => {
  expect(checkDocument(document, response(status, JSON.stringify(body))).verdict).toBe("incorrect")
})

it("rejects a body that is not JSON", () => {
  expect(checkDocument(document, response(502, "Bad Gateway")).verdict).toBe("incorrect")
})

it.each([
  ["", "-"],
  ["quarry-proxy; hit; ttl=4", "hit"],
  ["quarry-proxy; hit; ttl=-2; detail=stale", "stale"],
  ["quarry-proxy; fwd=uri-miss; stored", "uri-miss"],
  ["quarry-proxy; fwd=miss; collapsed", "coalesced"]
])("the cache result of %s is %s", (header, result) => {
  expect(cacheResultOf(header)).toBe(result)
})

it.each([["gzip", gzipSync], ["br", brotliCompressSync]] as const)(
  "accepts a document in %s if it was requested and decodes to the expected document",
  (encoding, encode) => {
    const sent = (body: Buffer | string) => response(200, body, { "content-encoding": encoding })
    const verdict = (received: Response) => checkDocument(document, received, { encoding }).verdict
    const encoded = encode(document)
    expect(checkDocument(document, sent(encoded), { encoding }))
      .toMatchObject({ verdict: "correct", form: encoding })
    expect(checkDocument(document, sent(encoded)).verdict).toBe("incorrect")
    expect([sent(encode("{}")), sent(document), sent(encoded.subarray(0, -9))].map(verdict))
      .toEqual(["incorrect", "correct", "incorrect"])
    expect(verdict(response(200, document))).toBe("incorrect")
  }
)

const tag = "W/\"current\""

it("accepts 304 only if the client has the document, and 200 only if not", () => {
  const check = (received: Response, requested?: string) =>
    checkDocument(document, received, requested === undefined ? {} : { tag: requested }).verdict
  expect(checkDocument(document, response(304, "", { etag: tag }), { tag }))
    .toMatchObject({ verdict: "correct", form: "not modified" })
  expect(check(response(200, document), unmatchedTag)).toBe("correct")
  expect([
    check(response(304, "", { etag: "W/\"another\"" }), tag),
    check(response(304, ""), tag),
    check(response(304, "{}", { etag: tag }), tag),
    check(response(200, document, { etag: tag }), tag),
    check(response(304, "", { etag: unmatchedTag }), unmatchedTag),
    check(response(304, "", { etag: tag }))
  ]).toEqual(Array.from({ length: 6 }, () => "incorrect"))
})

const pages = expectedPages(4)

const [first = [], second = [], third = []] = pages.map(({ records }) => records)

const all = [...first, ...second, ...third]

const listResponse = (lines: ReadonlyArray<unknown>, ending = "\n", type = "application/x-ndjson") =>
  response(
    200,
    lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n") + ending,
    { "content-type": type }
  )

const end = { end: { records: all.length } }

const interrupted = (cursor: unknown, code = "upstream-unreachable", more: object = {}) => ({
  failure: proxyError(code, more),
  cursor
})

it("accepts all records with their count in the last line", () => {
  expect(all).toHaveLength(60)
  expect(checkList(pages, listResponse([...all, end])))
    .toEqual({ verdict: "correct", cache: "list", form: "list" })
})

it("accepts complete pages with the cursor of the next page as a failed list", () => {
  const failed = { verdict: "error", name: "list failed: upstream-unreachable" }
  expect(checkList(pages, listResponse([...first, interrupted("second")]))).toEqual(failed)
  expect(checkList(pages, listResponse([...first, ...second, interrupted("third")]))).toEqual(failed)
})

it("treats a failure before the first page like other errors", () => {
  const failure = JSON.stringify(proxyError("upstream-unreachable"))
  expect(checkList(pages, response(502, failure))).toEqual({
    verdict: "error",
    name: "502 upstream-unreachable"
  })
  expect(checkList(pages, response(500, failure)).verdict).toBe("incorrect")
})

it.each([
  ["no last line", listResponse(all)],
  ["a truncated last line", listResponse([...all, end], "")],
  ["an empty body", listResponse([], "")],
  ["an early end", listResponse([...first, { end: { records: 20 } }])],
  ["a wrong count", listResponse([...all, { end: { records: 59 } }])],
  ["a missing record", listResponse([...all.slice(0, -1), end])],
  ["a duplicate record", listResponse([...all, all[0], end])],
  ["swapped pages", listResponse([...second, ...first, ...third, end])],
  ["records of another wallet", listResponse([...expectedPages(40).flatMap(({ records }) => records), end])],
  ["an incomplete page", listResponse([...all.slice(0, 30), interrupted("third")])],
  ["the cursor of a returned page", listResponse([...first, ...second, interrupted("second")])],
  ["no cursor", listResponse([...first, interrupted(null)])],
  ["a failure after the last page", listResponse([...all, interrupted("third")])],
  ["an internal error of the proxy", listResponse([...first, interrupted("second", "internal")])],
  [
    "an error of another request",
    listResponse([...first, interrupted("second", "upstream-unreachable", { requestId: "r2" })])
  ],
  ["another content type", listResponse([...all, end], "\n", "application/json")]
])("rejects a list with %s", (_, received) => {
  expect(checkList(pages, received).verdict).toBe("incorrect")
})
