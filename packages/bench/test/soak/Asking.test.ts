/** What clients of a soak ask: some of everything, each with what it takes for right. */
import { expect, it } from "vitest"
import type { Answer } from "../../src/Connection.ts"
import * as Asking from "../../src/soak/Asking.ts"
import { kindOf, nobodysTag } from "../../src/soak/Manner.ts"
import { question } from "../../src/soak/Question.ts"
import { Tags } from "../../src/soak/Tags.ts"

const chances = { kind: 0.5, unique: 0.5, popularity: 0 }

const [encoded, conditional, listed] = [0.01, 0.05, 0.09].map((kind) => ({ ...chances, kind }))

const tagged = (tag: string, body = question(0).answer()): Answer => ({
  status: 200,
  head: `HTTP/1.1 200 OK\r\netag: ${tag}\r\n\r\n`,
  body: Buffer.from(body)
})

it("a tenth is not asked plainly", () => {
  const kinds = Array.from({ length: 100 }, (_, part) => kindOf(part / 100))
  const count = (kind: string) => kinds.filter((one) => one === kind).length
  expect(["encoded", "conditional", "list", "plain"].map(count)).toEqual([4, 4, 2, 90])
})

it("encodings take turns, and lists are asked for as a whole", () => {
  const tags = new Tags()
  const headers = [0, 1].map((turn) => Asking.next(encoded ?? chances, turn, tags).headers)
  expect(headers).toEqual([{ "accept-encoding": "gzip" }, { "accept-encoding": "br" }])
  expect(Asking.next(listed ?? chances, 0, tags).target).toMatch(/^\/all\/api\/v2\.2\//)
  expect(Asking.next(chances, 0, tags).headers).toEqual({})
})

it("who got a document asks for it by its tag, and the same document has the same tag", () => {
  const tags = new Tags()
  const asked = () => Asking.next(conditional ?? chances, 0, tags)
  expect(asked().headers).toEqual({ "if-none-match": nobodysTag })
  expect(asked().check(tagged("W/\"a\"")).is).toBe("right")
  expect(asked().headers).toEqual({ "if-none-match": "W/\"a\"" })
  const plain = Asking.next(chances, 0, tags)
  expect(plain.check(tagged("W/\"a\"")).is).toBe("right")
  expect(plain.check(tagged("W/\"b\""))).toMatchObject({
    is: "wrong",
    problem: expect.stringContaining("tag")
  })
  expect(plain.check(tagged("W/\"a\"", "{}")).is).toBe("wrong")
})
