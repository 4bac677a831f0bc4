/**
 * Whether a whole list came as it should: every record of every page in its place, and a last line that says how it
 * ended. One that broke off has whole pages, and the cursor of the next one.
 */
import { type Answer, header } from "../Connection.ts"
import { checkFailure, failureOf, isExpected, type Outcome, parse, wrong } from "./Check.ts"
import type { List } from "./Question.ts"

export const checkList = (list: List, answer: Answer): Outcome => {
  if (answer.status !== 200) return checkFailure(list.target, answer)
  const no = (problem: string) => wrong(list.target, { ...answer, body: answer.body.subarray(-300) }, problem)
  if (!/^application\/x-ndjson\b/.test(header(answer, "content-type") ?? "")) return no("not lines of JSON")
  const lines = answer.body.toString().split("\n")
  // A line ends with its break, so nothing comes after the last one.
  if (lines.pop() !== "") return no("the last line is cut off")
  const last = parse(lines.pop() ?? "")
  const pages = list.pages()
  const given = pages.filter((_, index) => lines.length >= countOf(pages.slice(0, index + 1)))
  const expected = given.flatMap(({ records }) => records)
  if (lines.length !== expected.length || lines.some((line, place) => line !== expected[place])) {
    return no("not the records that were asked for")
  }
  if (isEnd(last, expected.length)) {
    return given.length === pages.length
      ? { is: "right", cache: "list", form: "list" }
      : no("it ended too early")
  }
  const { cursor, failure } = { cursor: null, failure: null, ...(typeof last === "object" ? last : {}) }
  const why = failureOf(failure)
  if (why === undefined) return no("the last line does not say how it ended")
  if (!isExpected(why.code)) return no("nothing led to this")
  if (why.requestId !== header(answer, "x-request-id")) return no("the request's id is another in the header")
  const next = given.at(-1)?.cursor
  return next !== undefined && cursor === next
    ? { is: "failed", name: `a list broke off: ${why.code}` }
    : no("the cursor does not lead to the next page")
}

const countOf = (pages: ReturnType<List["pages"]>): number =>
  pages.reduce((sum, { records }) => sum + records.length, 0)

const isEnd = (last: unknown, records: number): boolean =>
  JSON.stringify(last) === JSON.stringify({ end: { records } })
