/** The requests of a soak test include all variants, each with its check. */
import { expect, it } from "vitest"
import type { HttpResponse } from "../../src/Connection.ts"
import { EntityTags } from "../../src/soak/EntityTags.ts"
import { expectedResponse } from "../../src/soak/ExpectedResponse.ts"
import { kindForDraw, unmatchedEtag } from "../../src/soak/RequestVariant.ts"
import * as SoakRequest from "../../src/soak/SoakRequest.ts"

const draws = { kind: 0.5, unique: 0.5, popularity: 0 }

const [encoded, conditional, listed] = [0.01, 0.05, 0.09].map((kind) => ({ ...draws, kind }))

const tagged = (tag: string, body = expectedResponse(0).body()): HttpResponse => ({
  status: 200,
  head: `HTTP/1.1 200 OK\r\netag: ${tag}\r\n\r\n`,
  body: Buffer.from(body)
})

it("10 % of requests are not plain", () => {
  const kinds = Array.from({ length: 100 }, (_, percent) => kindForDraw(percent / 100))
  const count = (kind: string) => kinds.filter((drawn) => drawn === kind).length
  expect(["encoded", "conditional", "list", "plain"].map(count)).toEqual([4, 4, 2, 90])
})

it("encodings alternate, and lists are streamed", () => {
  const tags = new EntityTags()
  const headers = [0, 1].map((sequence) => SoakRequest.nextRequest(encoded ?? draws, sequence, tags).headers)
  expect(headers).toEqual([{ "accept-encoding": "gzip" }, { "accept-encoding": "br" }])
  expect(SoakRequest.nextRequest(listed ?? draws, 0, tags).target).toMatch(/^\/all\/api\/v2\.2\//)
  expect(SoakRequest.nextRequest(draws, 0, tags).headers).toEqual({})
})

it("conditional requests send the tag of the last response, and a changed tag is an error", () => {
  const tags = new EntityTags()
  const next = () => SoakRequest.nextRequest(conditional ?? draws, 0, tags)
  expect(next().headers).toEqual({ "if-none-match": unmatchedEtag })
  expect(next().check(tagged("W/\"a\"")).verdict).toBe("correct")
  expect(next().headers).toEqual({ "if-none-match": "W/\"a\"" })
  const plain = SoakRequest.nextRequest(draws, 0, tags)
  expect(plain.check(tagged("W/\"a\"")).verdict).toBe("correct")
  expect(plain.check(tagged("W/\"b\""))).toMatchObject({
    verdict: "incorrect",
    reason: expect.stringContaining("tag")
  })
  expect(plain.check(tagged("W/\"a\"", "{}")).verdict).toBe("incorrect")
})
