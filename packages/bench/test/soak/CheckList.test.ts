/** Whole lists: what is taken for one, for one that broke off, and for wrong. */
import { expect, it } from "vitest"
import type { Answer } from "../../src/Connection.ts"
import { checkList } from "../../src/soak/CheckList.ts"
import { list } from "../../src/soak/Question.ts"

const asked = list(4)

const [first, second, third] = asked.pages().map(({ records }) => records)

const every = asked.pages().flatMap(({ records }) => records)

const answer = (
  lines: ReadonlyArray<unknown>,
  { ending = "\n", status = 200, type = "application/x-ndjson" } = {}
): Answer => ({
  status,
  head: `HTTP/1.1 ${status} OK\r\ncontent-type: ${type}\r\nx-request-id: r1\r\n\r\n`,
  body: Buffer.from(
    lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n") + ending
  )
})

const end = { end: { records: every.length } }

const broke = (cursor: unknown, code = "unreachable", requestId = "r1") => ({
  failure: { message: "it failed", code, requestId },
  cursor
})

it("every record in its place and a last line that counts them are a whole list", () => {
  expect(every).toHaveLength(60)
  expect(checkList(asked, answer([...every, end]))).toEqual({ is: "right", cache: "list", form: "list" })
})

it("whole pages and the cursor of the next one are a list that broke off", () => {
  const failed = { is: "failed", name: "a list broke off: unreachable" }
  expect(checkList(asked, answer([...first ?? [], broke("second")]))).toEqual(failed)
  expect(checkList(asked, answer([...first ?? [], ...second ?? [], broke("third")]))).toEqual(failed)
})

it("a list that failed before its first page is a failure like every other", () => {
  const failure = { message: "it failed", code: "unreachable", requestId: "r1" }
  expect(checkList(asked, answer([failure], { status: 502, ending: "" })))
    .toEqual({ is: "failed", name: "502 unreachable" })
  expect(checkList(asked, answer([failure], { status: 500, ending: "" })).is).toBe("wrong")
})

it.each([
  ["no last line", answer(every)],
  ["a last line that is cut off", answer([...every, end], { ending: "" })],
  ["nothing", answer([], { ending: "" })],
  ["an end too early", answer([...first ?? [], { end: { records: 20 } }])],
  ["another count", answer([...every, { end: { records: 59 } }])],
  ["a record too few", answer([...every.slice(0, -1), end])],
  ["a record twice", answer([...every, every[0], end])],
  ["pages that are swapped", answer([...second ?? [], ...first ?? [], ...third ?? [], end])],
  ["another wallet's", answer([...list(40).pages().flatMap(({ records }) => records), end])],
  ["half a page", answer([...every.slice(0, 30), broke("third")])],
  ["a cursor to a page that was given", answer([...first ?? [], ...second ?? [], broke("second")])],
  ["no cursor", answer([...first ?? [], broke(null)])],
  ["a failure after the last page", answer([...every, broke("third")])],
  ["a bug of the proxy", answer([...first ?? [], broke("second", "internal")])],
  ["another request's failure", answer([...first ?? [], broke("second", "unreachable", "r2")])],
  ["no lines of JSON", answer([...every, end], { type: "application/json" })]
])("%s is wrong", (_, given) => {
  expect(checkList(asked, given)).toMatchObject({
    is: "wrong",
    problem: expect.stringContaining(asked.target)
  })
})
