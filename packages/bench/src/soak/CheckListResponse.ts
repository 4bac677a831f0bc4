/**
 * Checks streamed lists: all records in order, and a last line with the end reason. A failed list consists of complete
 * pages, and its last line has the cursor of the next page.
 */
import { headerOf, type HttpResponse } from "../Connection.ts"
import {
  checkFailure,
  type CheckResult,
  incorrect,
  isExpectedCode,
  parseJson,
  parseProxyError
} from "./CheckResponse.ts"
import type { ExpectedList } from "./ExpectedResponse.ts"

export const checkListResponse = (expectedList: ExpectedList, response: HttpResponse): CheckResult => {
  if (response.status !== 200) return checkFailure(expectedList.target, response)
  const fail = (reason: string) =>
    incorrect(expectedList.target, { ...response, body: response.body.subarray(-300) }, reason)
  if (!/^application\/x-ndjson\b/.test(headerOf(response, "content-type") ?? "")) {
    return fail("not NDJSON")
  }
  const lines = response.body.toString().split("\n")
  // Every line ends with a line break, so the last element is empty
  if (lines.pop() !== "") return fail("last line truncated")
  const last = parseJson(lines.pop() ?? "")
  const pages = expectedList.pages()
  const receivedPages = pages.filter((_, index) => lines.length >= countRecords(pages.slice(0, index + 1)))
  const expected = receivedPages.flatMap(({ records }) => records)
  if (lines.length !== expected.length || lines.some((line, index) => line !== expected[index])) {
    return fail("wrong records")
  }
  if (isEndLine(last, expected.length)) {
    return receivedPages.length === pages.length
      ? { verdict: "correct", cache: "list", form: "list" }
      : fail("list ended early")
  }
  const { cursor, failure } = { cursor: null, failure: null, ...(typeof last === "object" ? last : {}) }
  const proxyError = parseProxyError(failure)
  if (proxyError === undefined) return fail("last line has no end reason")
  if (!isExpectedCode(proxyError.code)) return fail("unexpected failure code")
  if (proxyError.requestId !== headerOf(response, "x-request-id")) {
    return fail("requestId differs from x-request-id")
  }
  const next = receivedPages.at(-1)?.cursor
  return next !== undefined && cursor === next
    ? { verdict: "proxy-error", name: `list failed: ${proxyError.code}` }
    : fail("cursor does not point to the next page")
}

const countRecords = (pages: ReturnType<ExpectedList["pages"]>): number =>
  pages.reduce((sum, { records }) => sum + records.length, 0)

const isEndLine = (last: unknown, records: number): boolean =>
  JSON.stringify(last) === JSON.stringify({ end: { records } })
