/**
 * Whether a whole list came as it should: every record of every page in its place, and a last line that says how it
 * ended. One that broke off has whole pages, and the cursor of the next one.
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
  const fail = (problem: string) =>
    incorrect(expectedList.target, { ...response, body: response.body.subarray(-300) }, problem)
  if (!/^application\/x-ndjson\b/.test(headerOf(response, "content-type") ?? "")) {
    return fail("not lines of JSON")
  }
  const lines = response.body.toString().split("\n")
  // A line ends with its break, so nothing comes after the last one.
  if (lines.pop() !== "") return fail("the last line is cut off")
  const last = parseJson(lines.pop() ?? "")
  const pages = expectedList.pages()
  const receivedPages = pages.filter((_, index) => lines.length >= countRecords(pages.slice(0, index + 1)))
  const expected = receivedPages.flatMap(({ records }) => records)
  if (lines.length !== expected.length || lines.some((line, place) => line !== expected[place])) {
    return fail("not the records that were asked for")
  }
  if (isEndLine(last, expected.length)) {
    return receivedPages.length === pages.length
      ? { verdict: "correct", cache: "list", form: "list" }
      : fail("it ended too early")
  }
  const { cursor, failure } = { cursor: null, failure: null, ...(typeof last === "object" ? last : {}) }
  const proxyError = parseProxyError(failure)
  if (proxyError === undefined) return fail("the last line does not say how it ended")
  if (!isExpectedCode(proxyError.code)) return fail("nothing led to this")
  if (proxyError.requestId !== headerOf(response, "x-request-id")) {
    return fail("the request's id is another in the header")
  }
  const next = receivedPages.at(-1)?.cursor
  return next !== undefined && cursor === next
    ? { verdict: "proxy-error", name: `a list broke off: ${proxyError.code}` }
    : fail("the cursor does not lead to the next page")
}

const countRecords = (pages: ReturnType<ExpectedList["pages"]>): number =>
  pages.reduce((sum, { records }) => sum + records.length, 0)

const isEndLine = (last: unknown, records: number): boolean =>
  JSON.stringify(last) === JSON.stringify({ end: { records } })
