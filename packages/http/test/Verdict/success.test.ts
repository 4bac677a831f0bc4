/** Answers of status 200: what is understood, what was broken on its way, and what is not of the operation. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Clients from "../support/Clients.ts"
import { examples, tokenPrice, updateStreamStatus } from "../support/Examples.ts"
import { failure } from "../support/Failure.ts"
import * as Scripted from "../support/Scripted.ts"

const retry = Clients.atOnce(3)
const price = JSON.stringify(tokenPrice.document)

describe.each(examples)("$id", (example) => {
  const text = JSON.stringify(example.document)
  const attempts = example.method === "GET" ? 3 : 1

  it.effect("reads its document, with a byte order mark and white space as well", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([
        Scripted.answer(200, text),
        Scripted.answer(200, `\ufeff${text}`),
        Scripted.answer(200, ` \r\n${text}\n`)
      ])
      const plain = yield* example.ask(scene)
      expect(yield* example.ask(scene)).toEqual(plain)
      expect(yield* example.ask(scene)).toEqual(plain)
      expect(scene.asked).toHaveLength(3)
    }))

  const garbled: ReadonlyArray<readonly [name: string, body: string | Uint8Array]> = [
    ["nothing", ""],
    ["white space", " \n"],
    ["a document that is cut off", text.slice(0, -1)],
    ["HTML", "<!doctype html><title>Just a moment</title>"],
    ["two documents", `${text}${text}`],
    ["what is not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ["a document of UTF-16", new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))],
    ["ten thousand brackets", "[".repeat(10_000) + "]".repeat(10_000)]
  ]

  it.effect.each(garbled)(
    "is asked again after %s, and is ResponseInvalid in the end",
    ([, body]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(() => Scripted.answer(200, body), { retry })
        expect(yield* failure(example.ask(scene))).toMatchObject({
          _tag: "ResponseInvalid",
          status: 200,
          path: "",
          mayHaveTakenEffect: example.method === "POST"
        })
        expect(scene.asked).toHaveLength(attempts)
      })
  )

  const foreign: ReadonlyArray<readonly [name: string, document: unknown]> = [
    ["an error object", { message: "something went wrong", statusCode: 500 }],
    ["an array", []],
    ["a text", "not found"],
    ["a number", 7],
    ["an empty object", {}]
  ]

  it.effect.each(foreign)(
    "is ResponseInvalid at once when it is answered with %s",
    ([, document]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene([Scripted.json(document)], { retry })
        expect(yield* failure(example.ask(scene))).toMatchObject({ _tag: "ResponseInvalid", status: 200 })
        expect(scene.asked).toHaveLength(1)
      })
  )

  it.effect("answered with null is not found where that is how the service says so", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([Scripted.json(null)], { retry })
      expect(yield* failure(example.ask(scene))).toMatchObject({
        _tag: example.id === "nftMetadata" ? "NotFound" : "ResponseInvalid",
        status: 200
      })
      expect(scene.asked).toHaveLength(1)
    }))
})

describe("a document that is whole", () => {
  it.effect("is read when a garbled one came before it", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        [
          Scripted.answer(200, price.slice(0, 5)),
          Scripted.answer(200, "<html>"),
          Scripted.answer(200, price)
        ],
        { retry }
      )
      expect(yield* tokenPrice.ask(scene)).toMatchObject({ usdPrice: 1.5 })
    }))

  it.effect("that does not fit says where", () =>
    Effect.gen(function*() {
      const result = [{ owner_address: `0x${"ab".repeat(20)}` }, { owner_address: "0x12" }]
      const scene = yield* Clients.scene([Scripted.json({ result })])
      const error = yield* failure(scene.data.tokenOwners({ token_address: `0x${"ab".repeat(20)}` }))
      expect(error).toMatchObject({ _tag: "ResponseInvalid", path: "result[1].owner_address" })
      expect(error.message).toContain("result[1].owner_address")
      expect(error).toMatchObject({ body: expect.stringContaining("0x12") })
    }))

  it.effect("keeps every digit of an amount", () =>
    Effect.gen(function*() {
      const digits = String(2n ** 256n - 1n)
      const body = `{"result":[{"transaction_hash":"0x${
        "1".repeat(64)
      }","block_number":1,"value":${digits}}]}`
      const scene = yield* Clients.scene([Scripted.answer(200, body)])
      const page = yield* scene.data.tokenTransfers({ address: `0x${"ab".repeat(20)}` })
      expect(page.result[0]?.value).toBe(2n ** 256n - 1n)
    }))

  it.effect("of an update says that the update may have taken effect when it is not understood", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([Scripted.json({ id: 5 })])
      const error = yield* failure(updateStreamStatus.ask(scene))
      expect(error).toMatchObject({ _tag: "ResponseInvalid", mayHaveTakenEffect: true })
      expect(error.message).toContain("may have taken effect")
    }))
})
