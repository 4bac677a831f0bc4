/** Whole lists: what is taken for one, for one that broke off, and for wrong. */
import { expect, it } from "vitest"
import type { HttpResponse } from "../../src/Connection.ts"
import { checkListResponse } from "../../src/soak/CheckListResponse.ts"
import { expectedList } from "../../src/soak/ExpectedResponse.ts"

const expected = expectedList(4)

const [first, second, third] = expected.pages().map(({ records }) => records)

const allRecords = expected.pages().flatMap(({ records }) => records)

const response = (
  lines: ReadonlyArray<unknown>,
  { ending = "\n", status = 200, type = "application/x-ndjson" } = {}
): HttpResponse => ({
  status,
  head: `HTTP/1.1 ${status} OK\r\ncontent-type: ${type}\r\nx-request-id: r1\r\n\r\n`,
  body: Buffer.from(
    lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n") + ending
  )
})

const end = { end: { records: allRecords.length } }

const interruptedLine = (cursor: unknown, code = "unreachable", requestId = "r1") => ({
  failure: { message: "it failed", code, requestId },
  cursor
})

it("every record in its place and a last line that counts them are a whole list", () => {
  expect(allRecords).toHaveLength(60)
  expect(checkListResponse(expected, response([...allRecords, end]))).toEqual({
    verdict: "correct",
    cache: "list",
    form: "list"
  })
})

it("whole pages and the cursor of the next one are a list that broke off", () => {
  const failed = { verdict: "proxy-error", name: "a list broke off: unreachable" }
  expect(checkListResponse(expected, response([...first ?? [], interruptedLine("second")]))).toEqual(failed)
  expect(checkListResponse(expected, response([...first ?? [], ...second ?? [], interruptedLine("third")])))
    .toEqual(failed)
})

it("a list that failed before its first page is a failure like every other", () => {
  const failure = { message: "it failed", code: "unreachable", requestId: "r1" }
  expect(checkListResponse(expected, response([failure], { status: 502, ending: "" })))
    .toEqual({ verdict: "proxy-error", name: "502 unreachable" })
  expect(checkListResponse(expected, response([failure], { status: 500, ending: "" })).verdict).toBe(
    "incorrect"
  )
})

it.each([
  ["no last line", response(allRecords)],
  ["a last line that is cut off", response([...allRecords, end], { ending: "" })],
  ["nothing", response([], { ending: "" })],
  ["an end too early", response([...first ?? [], { end: { records: 20 } }])],
  ["another count", response([...allRecords, { end: { records: 59 } }])],
  ["a record too few", response([...allRecords.slice(0, -1), end])],
  ["a record twice", response([...allRecords, allRecords[0], end])],
  ["pages that are swapped", response([...second ?? [], ...first ?? [], ...third ?? [], end])],
  ["another wallet's", response([...expectedList(40).pages().flatMap(({ records }) => records), end])],
  ["half a page", response([...allRecords.slice(0, 30), interruptedLine("third")])],
  [
    "a cursor to a page that was given",
    response([...first ?? [], ...second ?? [], interruptedLine("second")])
  ],
  ["no cursor", response([...first ?? [], interruptedLine(null)])],
  ["a failure after the last page", response([...allRecords, interruptedLine("third")])],
  ["a bug of the proxy", response([...first ?? [], interruptedLine("second", "internal")])],
  ["another request's failure", response([...first ?? [], interruptedLine("second", "unreachable", "r2")])],
  ["no lines of JSON", response([...allRecords, end], { type: "application/json" })]
])("%s is wrong", (_, given) => {
  expect(checkListResponse(expected, given)).toMatchObject({
    verdict: "incorrect",
    problem: expect.stringContaining(expected.target)
  })
})
