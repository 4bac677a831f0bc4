/** What clients of a soak ask: some of everything, each with what it takes for right. */
import { expect, it } from "vitest"
import type { HttpResponse } from "../../src/Connection.ts"
import { EntityTags } from "../../src/soak/EntityTags.ts"
import { expectedResponse } from "../../src/soak/ExpectedResponse.ts"
import { kindForDraw, unmatchedEtag } from "../../src/soak/RequestVariant.ts"
import * as SoakRequest from "../../src/soak/SoakRequest.ts"

const chances = { kind: 0.5, unique: 0.5, popularity: 0 }

const [encoded, conditional, listed] = [0.01, 0.05, 0.09].map((kind) => ({ ...chances, kind }))

const tagged = (tag: string, body = expectedResponse(0).body()): HttpResponse => ({
  status: 200,
  head: `HTTP/1.1 200 OK\r\netag: ${tag}\r\n\r\n`,
  body: Buffer.from(body)
})

it("a tenth is not asked plainly", () => {
  const kinds = Array.from({ length: 100 }, (_, part) => kindForDraw(part / 100))
  const count = (kind: string) => kinds.filter((one) => one === kind).length
  expect(["encoded", "conditional", "list", "plain"].map(count)).toEqual([4, 4, 2, 90])
})

it("encodings take turns, and lists are asked for as a whole", () => {
  const tags = new EntityTags()
  const headers = [0, 1].map((turn) => SoakRequest.nextRequest(encoded ?? chances, turn, tags).headers)
  expect(headers).toEqual([{ "accept-encoding": "gzip" }, { "accept-encoding": "br" }])
  expect(SoakRequest.nextRequest(listed ?? chances, 0, tags).target).toMatch(/^\/all\/api\/v2\.2\//)
  expect(SoakRequest.nextRequest(chances, 0, tags).headers).toEqual({})
})

it("who got a document asks for it by its tag, and the same document has the same tag", () => {
  const tags = new EntityTags()
  const asked = () => SoakRequest.nextRequest(conditional ?? chances, 0, tags)
  expect(asked().headers).toEqual({ "if-none-match": unmatchedEtag })
  expect(asked().check(tagged("W/\"a\"")).verdict).toBe("correct")
  expect(asked().headers).toEqual({ "if-none-match": "W/\"a\"" })
  const plain = SoakRequest.nextRequest(chances, 0, tags)
  expect(plain.check(tagged("W/\"a\"")).verdict).toBe("correct")
  expect(plain.check(tagged("W/\"b\""))).toMatchObject({
    verdict: "incorrect",
    problem: expect.stringContaining("tag")
  })
  expect(plain.check(tagged("W/\"a\"", "{}")).verdict).toBe("incorrect")
})
