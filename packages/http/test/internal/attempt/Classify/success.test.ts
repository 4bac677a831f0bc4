/** Tests responses with status 200: valid, incomplete, and of an unexpected shape. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples, tokenPrice, updateStreamStatus } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

const retry = TestClients.immediateRetries(3)
const price = JSON.stringify(tokenPrice.document)

describe.each(examples)("$id", (example) => {
  const text = JSON.stringify(example.document)
  const attempts = example.method === "GET" ? 3 : 1

  it.effect("decodes its document, also with a byte order mark and white space", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        ScriptedClient.respond(200, text),
        ScriptedClient.respond(200, `\ufeff${text}`),
        ScriptedClient.respond(200, ` \r\n${text}\n`)
      ])
      const plain = yield* example.call(harness)
      expect(yield* example.call(harness)).toEqual(plain)
      expect(yield* example.call(harness)).toEqual(plain)
      expect(harness.requests).toHaveLength(3)
    }))

  const incomplete: ReadonlyArray<readonly [name: string, body: string | Uint8Array]> = [
    ["nothing", ""],
    ["white space", " \n"],
    ["a document that is cut off", text.slice(0, -1)],
    ["HTML", "<!doctype html><title>Just a moment</title>"],
    ["two documents", `${text}${text}`],
    ["what is not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ["a document of UTF-16", new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))],
    ["ten thousand brackets", "[".repeat(10_000) + "]".repeat(10_000)]
  ]

  it.effect.each(incomplete)(
    "retries after %s, and then fails with InvalidResponseError",
    ([, body]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(() => ScriptedClient.respond(200, body), { retry })
        expect(yield* failureOf(example.call(harness))).toMatchObject({
          _tag: "InvalidResponseError",
          status: 200,
          path: "",
          mayHaveBeenApplied: example.method === "POST"
        })
        expect(harness.requests).toHaveLength(attempts)
      })
  )

  const unexpected: ReadonlyArray<readonly [name: string, document: unknown]> = [
    ["an error object", { message: "something went wrong", statusCode: 500 }],
    ["an array", []],
    ["a text", "not found"],
    ["a number", 7],
    ["an empty object", {}]
  ]

  it.effect.each(unexpected)(
    "fails with InvalidResponseError without a retry after %s",
    ([, document]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.json(document)], { retry })
        expect(yield* failureOf(example.call(harness))).toMatchObject({
          _tag: "InvalidResponseError",
          status: 200
        })
        expect(harness.requests).toHaveLength(1)
      })
  )

  it.effect("fails with NotFoundError after null if that means not found", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([ScriptedClient.json(null)], { retry })
      expect(yield* failureOf(example.call(harness))).toMatchObject({
        _tag: example.id === "nftMetadata" ? "NotFoundError" : "InvalidResponseError",
        status: 200
      })
      expect(harness.requests).toHaveLength(1)
    }))
})

describe("a complete document", () => {
  it.effect("is decoded after an incomplete one", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        [
          ScriptedClient.respond(200, price.slice(0, 5)),
          ScriptedClient.respond(200, "<html>"),
          ScriptedClient.respond(200, price)
        ],
        { retry }
      )
      expect(yield* tokenPrice.call(harness)).toMatchObject({ usdPrice: 1.5 })
    }))

  it.effect("of an unexpected shape fails with the path of the mismatch", () =>
    Effect.gen(function*() {
      const result = [{ owner_address: `0x${"ab".repeat(20)}` }, { owner_address: "0x12" }]
      const harness = yield* TestClients.harness([ScriptedClient.json({ result })])
      const error = yield* failureOf(harness.data.tokenOwners({ token_address: `0x${"ab".repeat(20)}` }))
      expect(error).toMatchObject({ _tag: "InvalidResponseError", path: "result[1].owner_address" })
      expect(error.message).toContain("result[1].owner_address")
      expect(error).toMatchObject({ body: expect.stringContaining("0x12") })
    }))

  it.effect("keeps every digit of an amount", () =>
    Effect.gen(function*() {
      const digits = String(2n ** 256n - 1n)
      const body = `{"result":[{"transaction_hash":"0x${
        "1".repeat(64)
      }","block_number":1,"value":${digits}}]}`
      const harness = yield* TestClients.harness([ScriptedClient.respond(200, body)])
      const page = yield* harness.data.tokenTransfers({ address: `0x${"ab".repeat(20)}` })
      expect(page.result[0]?.value).toBe(2n ** 256n - 1n)
    }))

  it.effect("of an update that is invalid states that the update may have been applied", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([ScriptedClient.json({ id: 5 })])
      const error = yield* failureOf(updateStreamStatus.call(harness))
      expect(error).toMatchObject({ _tag: "InvalidResponseError", mayHaveBeenApplied: true })
      expect(error.message).toContain("may have been applied")
    }))
})
