/** Tests raw calls, which return complete responses without parsing them, and decoded calls that share their responses. */
import { contractNfts } from "@blockquarry/core/operations/contractNfts"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { safeHeaders } from "../../../src/internal/transport/SafeHeaders.ts"
import { cachingOptions, withInspectableStore } from "../../support/CacheFixtures.ts"
import { address, contract } from "../../support/Examples.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness } from "../../support/TestEngine.ts"
import { whileTimePasses } from "../../support/TestTime.ts"

/** A response whose length delimits its body. */
const framed = (body: string | Uint8Array) =>
  ScriptedClient.respond(200, body, { "content-length": String(Buffer.byteLength(body)) })

const options = { ...cachingOptions, retry: TestClients.immediateRetries(3) }

/** Balanced brackets, but not JSON. */
const invalid = "{\"usdPrice\":}"

const input = Either.getOrThrow(decodeInput(tokenPrice, { address }))

describe("a raw response", () => {
  const documents = ["null", "\"text\"", "\ufeff{\"a\":  1}\n", `{"value":${2n ** 99n}}`, invalid]

  it.effect.each(documents)("with the body %j is returned byte by byte", (body) =>
    Effect.gen(function*() {
      const { requests, send } = yield* engineHarness([framed(new TextEncoder().encode(body))], options)
      const { response } = yield* send(1)
      expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(response.bytes)).toBe(body)
      expect(requests).toHaveLength(1)
    }))

  it.effect("may have any status", () =>
    Effect.gen(function*() {
      for (const status of [302, 400, 401, 404, 429, 500, 599]) {
        const { send } = yield* engineHarness(() => ScriptedClient.respond(status, "<p>no</p>"), options)
        expect((yield* whileTimePasses(send(1))).response).toMatchObject({ status, bytes: expect.anything() })
      }
    }))

  const damaged: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ["has no body", ScriptedClient.respond(204)],
    ["is truncated", framed("{\"a\":{}")],
    ["is truncated after a bracket in a string", framed("{\"a\":\"}")],
    ["is two documents", framed("{}{}")],
    ["is not UTF-8", framed(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]))],
    ["is not JSON and ends with its connection", ScriptedClient.respond(200, invalid)]
  ]

  it.effect.each(damaged)("is retried if it %s", ([, reply]) =>
    Effect.gen(function*() {
      const { requests, send } = yield* engineHarness([reply, framed("{}")], options)
      expect(yield* send(1)).toMatchObject({ source: "upstream" })
      expect(requests).toHaveLength(2)
    }))

  it.effect("is not cached if its TTL depends on a document that is not JSON", () =>
    Effect.gen(function*() {
      const [{ sendTo }, entries] = yield* withInspectableStore(
        engineHarness(() => framed("{\"status\":\"SYNCED\",\"result\":[{\"token_id\":}]}"), options)
      )
      yield* sendTo(contractNfts, { address: contract })
      expect(entries.size).toBe(0)
    }))
})

describe("a decoded call", () => {
  it.effect.each([invalid, "{\"usdPrice\":\"free\"}"])(
    "ignores a cached raw response that does not fit the model: %s",
    (body) =>
      Effect.gen(function*() {
        const { engine, requests, sendTo, upstream } = yield* engineHarness(
          (_, number) => framed(number === 1 ? body : "{\"usdPrice\":2}"),
          options
        )
        yield* sendTo(tokenPrice, { address })
        expect(yield* sendTo(tokenPrice, { address })).toMatchObject({ source: "cache" })
        for (const _ of ["upstream", "cache"]) {
          expect(yield* engine.decoded(tokenPrice, upstream)(input)).toMatchObject({ usdPrice: 2 })
        }
        expect(requests).toHaveLength(2)
      })
  )

  it.effect("fails if another call's response, which it shares, is not JSON", () =>
    Effect.gen(function*() {
      const { engine, sendTo, upstream } = yield* engineHarness(
        () => ScriptedClient.delayed(10, framed(invalid)),
        options
      )
      const calls = [
        sendTo(tokenPrice, { address }),
        Effect.either(engine.decoded(tokenPrice, upstream)(input))
      ]
      const [, output] = yield* whileTimePasses(Effect.all(calls, { concurrency: "unbounded" }))
      expect(output).toMatchObject({ left: { _tag: "InvalidResponseError", kind: "incomplete" } })
    }))
})

it("headers of responses are those that describe them, without API keys, and the one with the price", () => {
  const headersOf = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, `a ${name}`]))
  const safe = headersOf(
    "content-type date etag retry-after x-ratelimit-limit x-rate-limit-remaining ratelimit cache-control x-request-id"
  )
  const unsafe = headersOf(
    "set-cookie x-api-key authorization location server transfer-encoding content-encoding content-length connection x-new"
  )
  const request = { apiKey: Redacted.make("secret"), weightHeader: null }
  expect(safeHeaders({ ...safe, ...unsafe }, request)).toEqual(safe)
  expect(safeHeaders({ ...safe, etag: "of secret" }, request)).not.toHaveProperty("etag")
  expect(safeHeaders(unsafe, { ...request, weightHeader: "x-new" })).toEqual({ "x-new": "a x-new" })
})
