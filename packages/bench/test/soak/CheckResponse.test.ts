/** Correct responses, expected errors and incorrect responses. */
import * as Either from "effect/Either"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import type { Response } from "../../src/Load.ts"
import { checkDocument, checkList, type CheckResult } from "../../src/soak/CheckResponse.ts"
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

const failure = (status: number, error: unknown) => response(status, JSON.stringify(error))

const gzip = { "content-encoding": "gzip" }

/** What a result counts as; null if it is incorrect. */
const counted = (result: CheckResult) => Either.getOrElse(result, () => null)

describe("a document", () => {
  it("may be compressed if the request says so", () => {
    expect(counted(checkDocument(document, response(200, document)))).toBe("complete")
    const received = response(200, gzipSync(document), gzip)
    expect(counted(checkDocument(document, received, "gzip"))).toBe("gzip")
    expect(counted(checkDocument(document, received))).toBeNull()
  })

  it.each<[string, Response, string?]>(
    [
      ["with a missing byte", response(200, document.slice(0, -1))],
      ["with an additional byte", response(200, `${document} `)],
      ["that is not encoded", response(200, document), "gzip"],
      ["that is another one when decoded", response(200, gzipSync("{}"), gzip), "gzip"],
      ["that is cut", response(200, gzipSync(document).subarray(0, -9), gzip), "gzip"],
      ["that was not modified", response(304, "")]
    ]
  )("is incorrect %s", (_, received, encoding) => {
    expect(counted(checkDocument(document, received, encoding))).toBeNull()
  })
})

describe("an error", () => {
  it.each([
    ["502 upstream-unreachable", failure(502, proxyError("upstream-unreachable"))],
    ["429 client-rate-limited", failure(429, proxyError("client-rate-limited"))],
    ["500 from the upstream", failure(500, { message: "injected failure: 500" })]
  ])("counts as %s", (name, received) => {
    expect(counted(checkDocument(document, received))).toBe(name)
    expect(counted(checkList([], received))).toBe(name)
  })

  it.each([
    ["an internal error of the proxy", failure(500, proxyError("internal"))],
    ["the status of another code", failure(503, proxyError("upstream-unreachable"))],
    ["an error of another request", failure(502, proxyError("upstream-unreachable", { requestId: "r2" }))],
    ["no message", failure(502, proxyError("upstream-unreachable", { message: "" }))],
    ["an additional field", failure(502, proxyError("upstream-unreachable", { stack: "at …" }))],
    ["an upstream error with another status", failure(502, { message: "injected failure: 500" })],
    ["an unknown upstream path", failure(404, { message: "injected failure: 404" })],
    ["a body that is not JSON", response(502, "Bad Gateway")]
  ])("is incorrect: %s", (_, received) => {
    expect(counted(checkDocument(document, received))).toBeNull()
  })
})

describe("a list", () => {
  const pages = expectedPages(4)
  const [first = [], second = [], third = []] = pages.map(({ records }) => records)
  const all = [...first, ...second, ...third]
  const end = { end: { records: 60 } }

  const listOf = (lines: ReadonlyArray<unknown>, ending = "\n", type = "application/x-ndjson") =>
    response(
      200,
      lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n") + ending,
      { "content-type": type }
    )

  const failed = (cursor: unknown, code = "upstream-unreachable", more: object = {}) => ({
    failure: proxyError(code, more),
    cursor
  })

  it("counts if it is complete, or ends with a page and the next cursor", () => {
    expect(counted(checkList(pages, listOf([...all, end])))).toBe("list")
    expect(counted(checkList(pages, listOf([...first, ...second, failed("third")]), true)))
      .toBe("list failed: upstream-unreachable")
  })

  it.each([
    ["no last line", listOf(all)],
    ["a truncated last line", listOf([...all, end], "")],
    ["an early end", listOf([...first, { end: { records: 20 } }])],
    ["a wrong count", listOf([...all, { end: { records: 59 } }])],
    ["a missing record", listOf([...all.slice(0, -1), end])],
    ["swapped pages", listOf([...second, ...first, ...third, end])],
    ["records of another wallet", listOf([...expectedPages(40).flatMap(({ records }) => records), end])],
    ["an incomplete page", listOf([...all.slice(0, 30), failed("third")])],
    ["the cursor of a returned page", listOf([...first, ...second, failed("second")])],
    ["no cursor", listOf([...first, failed(null)])],
    ["a failure after the last page", listOf([...all, failed("third")])],
    ["an internal error of the proxy", listOf([...first, failed("second", "internal")])],
    ["an error of another request", listOf([...first, failed("second", undefined, { requestId: "r2" })])],
    ["another content type", listOf([...all, end], "\n", "application/json")]
  ])("is incorrect with %s", (_, received) => {
    expect([false, true].map((truncated) => counted(checkList(pages, received, truncated)))).toEqual([
      null,
      null
    ])
  })

  it("is incorrect if the connection closes after the end, or stays open after a failure", () => {
    expect(counted(checkList(pages, listOf([...all, end]), true))).toBeNull()
    expect(counted(checkList(pages, listOf([...first, failed("second")]), false))).toBeNull()
  })
})
