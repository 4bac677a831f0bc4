/** What is taken for right, for a failure that says so, and for wrong. */
import { brotliCompressSync, gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { type Answer, header } from "../../src/Connection.ts"
import { cacheOf, check } from "../../src/soak/Check.ts"
import { type Manner, nobodysTag } from "../../src/soak/Manner.ts"
import { question } from "../../src/soak/Question.ts"

const asked = question(12)

const answer = (
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {}
): Answer => ({
  status,
  head: `HTTP/1.1 ${status} OK\r\n${
    Object.entries({ "x-request-id": "r1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join(
      ""
    )
  }\r\n`,
  body: typeof body === "string" ? Buffer.from(body) : body
})

const failure = (code: string, more: object = {}): string =>
  JSON.stringify({ message: "it failed", code, requestId: "r1", ...more })

it("the document that was asked for is right, from wherever it came", () => {
  const hit = answer(200, asked.answer(), { "cache-status": "quarry-proxy; hit; ttl=4" })
  expect(header(hit, "cache-status")).toBe("quarry-proxy; hit; ttl=4")
  expect(check(asked, hit)).toEqual({ is: "right", cache: "hit", form: "whole" })
  expect(check(asked, answer(200, asked.answer()))).toEqual({
    is: "right",
    cache: "-",
    form: "whole"
  })
})

it.each([
  ["another chain's", question(13).answer()],
  ["another token's", question(15).answer()],
  ["a byte too few", asked.answer().slice(0, -1)],
  ["a byte too many", `${asked.answer()} `],
  ["a byte changed", asked.answer().replace("Granite", "granite")],
  ["nothing", ""],
  ["a page of a web site", "<html>Welcome</html>"]
])("any other document is wrong: %s", (_, body) => {
  expect(check(asked, answer(200, body))).toMatchObject({
    is: "wrong",
    problem: expect.stringContaining(asked.target)
  })
})

it.each([
  [502, "response-invalid"],
  [502, "unreachable"],
  [429, "over-budget"],
  [503, "service-left-alone"],
  [504, "timed-out"]
])("%i %s is a failure of the proxy's own", (status, code) => {
  expect(check(asked, answer(status, failure(code)))).toEqual({ is: "failed", name: `${status} ${code}` })
})

it("a failure of the service is passed on as it is", () => {
  expect(check(asked, answer(500, "{\"message\":\"the service fails with 500\"}"))).toEqual({
    is: "passed on",
    name: "500 of the service"
  })
})

it.each([
  ["a bug of the proxy", 500, failure("internal")],
  ["a refusal that nothing led to", 401, failure("token-unknown")],
  ["another code's status", 503, failure("unreachable")],
  ["a code that there is not", 502, failure("broken")],
  ["another request's failure", 502, failure("unreachable", { requestId: "r2" })],
  ["no message", 502, failure("unreachable", { message: "" })],
  ["more than there should be", 502, failure("unreachable", { stack: "at …" })],
  ["no document", 502, "Bad Gateway"],
  ["another document", 502, "[]"],
  ["another status than the service's", 502, "{\"message\":\"the service fails with 500\"}"],
  ["a question that the service does not know", 404, "{\"message\":\"the service fails with 404\"}"],
  ["no content", 204, ""]
])("%s is wrong", (_, status, body) => {
  expect(check(asked, answer(status, body)).is).toBe("wrong")
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
  expect(cacheOf(said)).toBe(word)
})

const has = { as: "conditional", tag: "W/\"its tag\"" } as const

const hasAnother: Manner = { as: "conditional", tag: nobodysTag }

it.each(
  [
    ["gzip", gzipSync],
    ["br", brotliCompressSync]
  ] as const
)(
  "a document in %s is right where it was asked for so, and decodes to what was asked for",
  (encoding, encode) => {
    const manner: Manner = { as: "encoded", encoding }
    const sent = (text: string, headers = { "content-encoding": encoding }) =>
      answer(200, encode(text), headers)
    expect(check(asked, sent(asked.answer()), manner)).toMatchObject({ is: "right", form: encoding })
    expect(check(asked, sent(question(13).answer()), manner).is).toBe("wrong")
    expect(check(asked, sent(asked.answer())).is).toBe("wrong")
    expect(check(asked, answer(200, asked.answer()), manner).is).toBe("wrong")
    expect(check(asked, answer(200, asked.answer(), { "content-encoding": encoding }), manner).is).toBe(
      "wrong"
    )
    expect(
      check(
        asked,
        answer(200, encode(asked.answer()).subarray(0, -9), { "content-encoding": encoding }),
        manner
      ).is
    )
      .toBe("wrong")
  }
)

it("who has the document is told so, and sent nothing", () => {
  const tagged = (tag: string, body = "") => answer(304, body, { etag: tag })
  expect(check(asked, tagged(has.tag), has)).toMatchObject({ is: "right", form: "not modified" })
  expect(check(asked, tagged("W/\"another\""), has).is).toBe("wrong")
  expect(check(asked, answer(304, ""), has).is).toBe("wrong")
  expect(check(asked, tagged(has.tag, "{}"), has).is).toBe("wrong")
  expect(check(asked, answer(200, asked.answer(), { etag: has.tag }), has).is).toBe("wrong")
})

it("who has another, or none, is sent it", () => {
  expect(check(asked, answer(200, asked.answer()), hasAnother)).toMatchObject({ is: "right", form: "whole" })
  expect(check(asked, answer(304, "", { etag: nobodysTag }), hasAnother).is).toBe("wrong")
  expect(check(asked, answer(304, "", { etag: has.tag })).is).toBe("wrong")
})
