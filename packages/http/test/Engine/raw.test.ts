/** Tests raw calls, which return complete responses unparsed. */
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { bodyScan } from "../../src/internal/transport/BodyScan.ts"
import { safeHeaders } from "../../src/internal/transport/SafeHeaders.ts"
import * as Upstream from "../../src/Upstream.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import { whileTimePasses } from "../support/TestTime.ts"

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
    const response = Effect.map(
      engine.raw(tokenPrice, target, bodyScan)(input, request),
      ({ response }) => response
    )
    return { requests, call: whileTimePasses(response) }
  })

const textOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

describe("raw", () => {
  const documents = [
    `{"usdPrice":1}`,
    "null",
    "[]",
    `"text"`,
    `\ufeff{"a":  1}\n`,
    `{"value":123456789012345678901234567890}`
  ]

  it.effect.each(documents)("returns %j byte by byte", (body) =>
    Effect.gen(function*() {
      const { requests, call } = yield* raw([
        ScriptedClient.respond(200, new TextEncoder().encode(body))
      ])
      const response = yield* call
      expect([response.status, textOf(response.bytes)]).toEqual([200, body])
      expect(requests[0]?.url.href).toBe("https://host.test/api/v2.2/erc20/0x12/price?a%20b=c%26d")
    }))

  it.effect.each([204, 302, 400, 401, 402, 403, 404, 408, 429, 500, 503, 599])(
    "returns a %d as a response",
    (status) =>
      Effect.gen(function*() {
        const { call } = yield* raw(() => ScriptedClient.respond(status, "<p>no</p>"))
        const outcome = yield* Effect.either(call)
        // A 2xx without a document is incomplete.
        expect(outcome).toMatchObject(
          status === 204
            ? { left: { _tag: "InvalidResponseError" } }
            : { right: { status, bytes: expect.anything() } }
        )
      })
  )

  it.effect("retries error statuses and incomplete documents", () =>
    Effect.gen(function*() {
      const failing = yield* raw(() => ScriptedClient.respond(500))
      expect((yield* failing.call).status).toBe(500)
      expect(failing.requests).toHaveLength(4)
      const incomplete = yield* raw(() => ScriptedClient.respond(200, "{\"usdPrice\":"))
      expect((yield* failureOf(incomplete.call))._tag).toBe("InvalidResponseError")
      expect(incomplete.requests).toHaveLength(4)
    }))
})

describe("safeHeaders", () => {
  it("returns headers that describe the response, and no others", () => {
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
    const request = { apiKey: Redacted.make("key"), weightHeader: null }
    expect(safeHeaders({ ...safe, ...unsafe }, request)).toEqual(safe)
    expect(safeHeaders({ ...safe, etag: "of key" }, request)).not.toHaveProperty("etag")
    expect(safeHeaders(unsafe, { ...request, weightHeader: "x-new" })).toEqual({ "x-new": "10" })
  })
})
