/** Complete, failed and incorrect lists. */
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

const interruptedLine = (cursor: unknown, code = "upstream-unreachable", requestId = "r1") => ({
  failure: { message: "failed", code, requestId },
  cursor
})

it("accepts all records with their count in the last line", () => {
  expect(allRecords).toHaveLength(60)
  expect(checkListResponse(expected, response([...allRecords, end]))).toEqual({
    verdict: "correct",
    cache: "list",
    form: "list"
  })
})

it("accepts complete pages with the cursor of the next page as a failed list", () => {
  const failed = { verdict: "proxy-error", name: "list failed: upstream-unreachable" }
  expect(checkListResponse(expected, response([...first ?? [], interruptedLine("second")]))).toEqual(failed)
  expect(checkListResponse(expected, response([...first ?? [], ...second ?? [], interruptedLine("third")])))
    .toEqual(failed)
})

it("treats a failure before the first page like other errors", () => {
  const failure = { message: "failed", code: "upstream-unreachable", requestId: "r1" }
  expect(checkListResponse(expected, response([failure], { status: 502, ending: "" })))
    .toEqual({ verdict: "proxy-error", name: "502 upstream-unreachable" })
  expect(checkListResponse(expected, response([failure], { status: 500, ending: "" })).verdict).toBe(
    "incorrect"
  )
})

it.each([
  ["no last line", response(allRecords)],
  ["a truncated last line", response([...allRecords, end], { ending: "" })],
  ["an empty body", response([], { ending: "" })],
  ["an early end", response([...first ?? [], { end: { records: 20 } }])],
  ["a wrong count", response([...allRecords, { end: { records: 59 } }])],
  ["a missing record", response([...allRecords.slice(0, -1), end])],
  ["a duplicate record", response([...allRecords, allRecords[0], end])],
  ["swapped pages", response([...second ?? [], ...first ?? [], ...third ?? [], end])],
  [
    "records of another wallet",
    response([...expectedList(40).pages().flatMap(({ records }) => records), end])
  ],
  ["an incomplete page", response([...allRecords.slice(0, 30), interruptedLine("third")])],
  [
    "the cursor of a returned page",
    response([...first ?? [], ...second ?? [], interruptedLine("second")])
  ],
  ["no cursor", response([...first ?? [], interruptedLine(null)])],
  ["a failure after the last page", response([...allRecords, interruptedLine("third")])],
  ["an internal error of the proxy", response([...first ?? [], interruptedLine("second", "internal")])],
  [
    "an error of another request",
    response([...first ?? [], interruptedLine("second", "upstream-unreachable", "r2")])
  ],
  ["another content type", response([...allRecords, end], { type: "application/json" })]
])("rejects %s", (_, received) => {
  expect(checkListResponse(expected, received)).toMatchObject({
    verdict: "incorrect",
    reason: expect.stringContaining(expected.target)
  })
})
