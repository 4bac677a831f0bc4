/** The raw end: answers as they came, once they are sure to be whole. */
import { allOperations } from "@blockquarry/core/Operations"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Upstream from "../../../../src/internal/pipeline/Upstream.ts"
import { safeHeaders } from "../../../../src/internal/transport/RawResponse.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { whileTimePasses } from "../../../support/TestTime.ts"

const request = { method: "GET", path: "/erc20/0x12/price", query: [["a b", "c&d"]], body: null } as const
const input = Either.getOrThrow(decodeInput(tokenPrice, { address: `0x${"12".repeat(20)}` }))

const raw = (script: ScriptedClient.Script) =>
  Effect.gen(function*() {
    const { requests, client } = ScriptedClient.make(script)
    const options = { apiKey: Redacted.make(TestClients.key), baseUrl: "https://host.test" }
    const target = yield* Upstream.make("data", options).pipe(
      Effect.provideService(HttpClient.HttpClient, client)
    )
    const engine = yield* TestClients.engine
    const answer = Effect.map(
      engine.raw(tokenPrice, target)(input, request),
      ({ response: answer }) => answer
    )
    return { asked: requests, call: whileTimePasses(answer) }
  })

const textOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

describe("the raw end", () => {
  const documents = [
    `{"usdPrice":1}`,
    "null",
    "[]",
    `"text"`,
    `\ufeff{"a":  1}\n`,
    `{"value":123456789012345678901234567890}`
  ]

  it.effect.each(documents)("gives back %j byte by byte", (body) =>
    Effect.gen(function*() {
      const { asked: requests, call } = yield* raw([
        ScriptedClient.respond(200, new TextEncoder().encode(body))
      ])
      const answer = yield* call
      expect([answer.status, textOf(answer.bytes)]).toEqual([200, body])
      expect(requests[0]?.url.href).toBe("https://host.test/api/v2.2/erc20/0x12/price?a%20b=c%26d")
    }))

  it.effect.each([204, 302, 400, 401, 402, 403, 404, 408, 429, 500, 503, 599])(
    "gives back a %d as an answer",
    (status) =>
      Effect.gen(function*() {
        const { call } = yield* raw(() => ScriptedClient.respond(status, "<p>no</p>"))
        const outcome = yield* Effect.either(call)
        // A success without a document is garbled, as at the other end.
        expect(outcome).toMatchObject(
          status === 204
            ? { left: { _tag: "InvalidResponseError" } }
            : { right: { status, bytes: expect.anything() } }
        )
      })
  )

  it.effect("asks again before it gives a failure back, and before it gives up on a garbled document", () =>
    Effect.gen(function*() {
      const failing = yield* raw(() => ScriptedClient.respond(500))
      expect((yield* failing.call).status).toBe(500)
      expect(failing.asked).toHaveLength(4)
      const garbled = yield* raw(() => ScriptedClient.respond(200, "{\"usdPrice\":"))
      expect((yield* failureOf(garbled.call))._tag).toBe("InvalidResponseError")
      expect(garbled.asked).toHaveLength(4)
    }))

  it.effect("fails if there is no response", () =>
    Effect.gen(function*() {
      const broken = yield* raw(() => ScriptedClient.Disconnect({ code: "ECONNRESET" }))
      expect((yield* failureOf(broken.call))._tag).toBe("NetworkError")
      const hanging = yield* raw(() => ScriptedClient.Hang())
      expect((yield* failureOf(hanging.call))._tag).toBe("TimeoutError")
    }))

  it.effect("gives back the headers that are safe to show", () =>
    Effect.gen(function*() {
      const { call } = yield* raw([
        ScriptedClient.respond(200, "{}", {
          "Content-Type": "application/json",
          "ETag": "x",
          "Set-Cookie": "a=b",
          "Server": "s"
        })
      ])
      expect((yield* call).headers).toEqual({ "content-type": "application/json", "etag": "x" })
    }))

  it("takes every operation for what it needs to know of one", () => {
    expect(
      allOperations.map(({ id, retry: repeat }) => ({ id, repeat })).filter(({ repeat }) =>
        repeat === "if-not-applied"
      )
    )
      .toEqual([
        { id: "updateStreamStatus", repeat: "if-not-applied" }
      ])
  })
})

describe("safeHeaders", () => {
  it("lets through what says something about the answer, and holds back the rest", () => {
    const safe = {
      "content-type": "a",
      "date": "b",
      "etag": "c",
      "retry-after": "d",
      "x-ratelimit-limit": "e",
      "x-rate-limit-remaining": "f",
      "ratelimit": "g",
      "cache-control": "h",
      "x-request-id": "i"
    }
    const unsafe = {
      "set-cookie": "1",
      "x-api-key": "2",
      "authorization": "3",
      "location": "4",
      "server": "5",
      "transfer-encoding": "6",
      "content-encoding": "7",
      "content-length": "8",
      "connection": "9",
      "x-new": "10",
      "www-authenticate": "11"
    }
    expect(safeHeaders({ ...safe, ...unsafe }, Redacted.make("key"))).toEqual(safe)
    expect(safeHeaders({ ...safe, etag: "of key" }, Redacted.make("key"))).not.toHaveProperty("etag")
  })
})
