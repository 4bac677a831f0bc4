/** Tests raw responses that are complete without being parsed, and when they are parsed. */
import { contractNfts } from "@blockquarry/core/operations/contractNfts"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { classify } from "../../../../src/internal/attempt/Classify.ts"
import { bodyScan } from "../../../../src/internal/transport/BodyScan.ts"
import { cachingOptions, withInspectableStore } from "../../../support/CacheFixtures.ts"
import { address, contract, hash } from "../../../support/Examples.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineHarness } from "../../../support/TestEngine.ts"
import { whileTimePasses } from "../../../support/TestTime.ts"

/** A response whose length delimits its body. */
const framed = (body: string | Uint8Array) =>
  ScriptedClient.respond(200, body, { "content-length": String(Buffer.byteLength(body)) })

const options = { ...cachingOptions, retry: TestClients.immediateRetries(3) }

/** Balanced brackets, but not JSON. */
const invalid = "{\"usdPrice\":}"

describe("a raw response", () => {
  const classifyBody = (body: string, isFramed: boolean) => {
    const response = { status: 200, headers: {}, bytes: new TextEncoder().encode(body) }
    const request = { method: "GET", path: "/" } as const
    return classify(
      tokenPrice,
      request,
      response,
      0,
      { apiKey: Redacted.make("key"), setting: "" },
      isFramed ? bodyScan : null
    )
  }

  it("is parsed at most once, when its document is needed", () => {
    const response = classifyBody("{\"a\":[1]}", true)
    expect(response).toMatchObject({ _tag: "Complete", isParsed: false })
    if (response._tag === "Complete") {
      const { document } = response
      expect(document).toEqual(Either.right({ a: [1] }))
      expect(response.isParsed).toBe(true)
      expect(response.document).toBe(document)
    }
  })

  it("is parsed at once without HTTP framing, and if it is no object or array", () => {
    expect(classifyBody("{\"a\":[1]}", false)).toMatchObject({ _tag: "Complete", isParsed: true })
    expect(classifyBody("null", true)).toMatchObject({ _tag: "Complete", isParsed: true })
    expect(classifyBody(invalid, false)).toMatchObject({ _tag: "Malformed" })
    expect(classifyBody("{\"a\":[1]", true)).toMatchObject({ _tag: "Malformed" })
  })

  it.effect("with balanced brackets is returned unparsed if HTTP framing delimits it", () =>
    Effect.gen(function*() {
      const { requests, send } = yield* engineHarness([framed(invalid)], { ...options, cache: undefined })
      const { response } = yield* send(1)
      expect(new TextDecoder().decode(response.bytes)).toBe(invalid)
      expect(requests).toHaveLength(1)
    }))

  const damaged: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
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
      const body = "{\"status\":\"SYNCED\",\"result\":[{]}".replace("{]", "{\"token_id\":}]")
      const [{ engine, upstream }, entries] = yield* withInspectableStore(
        engineHarness(() => framed(body), options)
      )
      const input = Either.getOrThrow(decodeInput(contractNfts, { address: contract }))
      yield* engine.raw(contractNfts, upstream, bodyScan)(input, encodeRequest(contractNfts, input))
      expect(entries.size).toBe(0)
    }))
})

describe("a decoded call", () => {
  it.effect.each([invalid, "{\"usdPrice\":\"free\"}"])(
    "ignores a cached raw response that does not fit the model: %s",
    (body) =>
      Effect.gen(function*() {
        const { engine, requests, upstream } = yield* engineHarness(
          (_, number) => framed(number === 1 ? body : "{\"usdPrice\":2}"),
          options
        )
        const input = Either.getOrThrow(decodeInput(tokenPrice, { address }))
        const raw = engine.raw(tokenPrice, upstream, bodyScan)(input, encodeRequest(tokenPrice, input))
        yield* raw
        expect(yield* raw).toMatchObject({ source: "cache" })
        expect(yield* engine.decoded(tokenPrice, upstream)(input)).toMatchObject({ usdPrice: 2 })
        expect(yield* engine.decoded(tokenPrice, upstream)(input)).toMatchObject({ usdPrice: 2 })
        expect(requests).toHaveLength(2)
      })
  )

  it.effect("fails if another call's response, which it shares, is not JSON", () =>
    Effect.gen(function*() {
      const { engine, upstream } = yield* engineHarness(
        () => ScriptedClient.delayed(10, framed(invalid)),
        options
      )
      const input = Either.getOrThrow(decodeInput(tokenPrice, { address }))
      const raw = engine.raw(tokenPrice, upstream, bodyScan)(input, encodeRequest(tokenPrice, input))
      const [, output] = yield* whileTimePasses(
        Effect.all([raw, Effect.either(engine.decoded(tokenPrice, upstream)(input))], {
          concurrency: "unbounded"
        })
      )
      expect(output).toMatchObject({ left: { _tag: "InvalidResponseError", kind: "incomplete" } })
    }))
})

describe("the highest block of raw responses", () => {
  const transfers = (...blocks: ReadonlyArray<number | string>) =>
    JSON.stringify({
      result: blocks.map((block_number) => ({ transaction_hash: hash, block_number, log_index: 1 }))
    })

  /** Returns the TTL of a price at block 4000, in seconds, after a raw response of an operation. */
  const priceTtlAfter = (operation: typeof walletTransfers | typeof walletChains, body: string) =>
    Effect.gen(function*() {
      const [{ engine, upstream }, entries] = yield* withInspectableStore(
        engineHarness(
          ({ url }) => framed(url.pathname.endsWith("/price") ? "{\"usdPrice\":1}" : body),
          options
        )
      )
      const wallet = { address }
      if (operation.id === "walletChains") {
        const input = Either.getOrThrow(decodeInput(walletChains, wallet))
        yield* engine.raw(walletChains, upstream, bodyScan)(input, encodeRequest(walletChains, input))
      } else {
        const input = Either.getOrThrow(decodeInput(walletTransfers, wallet))
        yield* engine.raw(walletTransfers, upstream, bodyScan)(input, encodeRequest(walletTransfers, input))
      }
      entries.clear()
      const input = Either.getOrThrow(decodeInput(tokenPrice, { address, to_block: 4000 }))
      yield* engine.raw(tokenPrice, upstream, bodyScan)(input, encodeRequest(tokenPrice, input))
      return [...entries.values()].map(({ freshUntil, storedAt }) => (freshUntil - storedAt) / 1000)
    })

  it.effect("is the first or the last one of a list, as a number or a string, with any white space", () =>
    Effect.gen(function*() {
      for (const blocks of [[5000, 10], [10, 5000], ["5000", 10], [10, "5000"], [5000]]) {
        const body = transfers(...blocks)
        expect(yield* priceTtlAfter(walletTransfers, body)).toEqual([3600])
        expect(yield* priceTtlAfter(walletTransfers, JSON.stringify(JSON.parse(body), null, 2))).toEqual([
          3600
        ])
      }
      expect(yield* priceTtlAfter(walletTransfers, transfers(4999))).toEqual([5])
      expect(yield* priceTtlAfter(walletTransfers, transfers())).toEqual([5])
      expect(yield* priceTtlAfter(walletTransfers, transfers("9".repeat(20)))).toEqual([5])
    }))

  it.effect("is found in a body of many records", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 500 }, (_, index) => index)
      expect(yield* priceTtlAfter(walletTransfers, transfers(...many, 5000))).toEqual([3600])
      expect(yield* priceTtlAfter(walletTransfers, transfers(5000, ...many))).toEqual([3600])
    }))

  it.effect("ignores operations without a chain, whose blocks belong to several chains", () =>
    Effect.gen(function*() {
      const chains = [{ chain: "polygon", first_transaction: { block_number: 5000 } }]
      expect(yield* priceTtlAfter(walletChains, JSON.stringify({ address, active_chains: chains }))).toEqual([
        5
      ])
    }))
})
