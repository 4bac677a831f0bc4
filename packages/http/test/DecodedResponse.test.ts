/** Tests what calls report about fields and records that cannot be read, and the JSON beside the model. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import type { DecodedResponse } from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"
import { pageOf, recordsOfLists } from "../../core/test/support/listRecords.ts"
import { cachingOptions } from "./support/CacheFixtures.ts"
import { address } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import { streamsOf } from "./support/Lists.ts"
import { increaseOf } from "./support/MetricReader.ts"
import { fetchPrice, minimalOptions } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

const drifted = ScriptedClient.respond(
  200,
  `{"usdPrice":1.5,"24hrPercentChange":"N/A","tokenLogo":{},"nativePrice":{"value":"0.5"},"supply":10000000000000000001}`
)

/** An observer that keeps what it is called with. */
const observer = () => {
  const seen: Array<DecodedResponse> = []
  return { seen, onResponse: (response: DecodedResponse) => void seen.push(response) }
}

describe("a field that cannot be read", () => {
  it.effect("is counted when a response is decoded, by operation and field", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => drifted, cachingOptions)
      const call = CallUsage.withUsage(fetchPrice(harness, 1))
      const calls = Effect.gen(function*() {
        const [price, usage] = yield* call
        expect(price).toMatchObject({ "24hrPercentChange": null, tokenLogo: null, nativePrice: null })
        expect(usage.unreadableFields).toBe(3)
        expect((yield* call)[1]).toEqual(CallUsage.none)
      })
      const labels = { operation: "tokenPrice", field: "nativePrice" }
      expect(yield* increaseOf(Telemetry.unreadableFields, labels, calls)).toBe(1)
    }))

  it.effect("is logged once per call, and as a warning if the field is new", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${message}`))
      const price = (fields: object) => ScriptedClient.json({ usdPrice: 1.5, tokenLogo: 5, ...fields })
      const harness = yield* TestClients.harness(
        [price({ tokenName: 5 }), price({ tokenName: 5 }), price({ tokenSymbol: 5 })],
        minimalOptions
      )
      yield* Effect.repeatN(fetchPrice(harness, 1), 2).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(LogLevel.Debug)
      )
      const unreadable = (names: string) => `tokenPrice: fields that could not be read are null: ${names}`
      expect(lines.filter((line) => line.includes("null"))).toEqual([
        `WARN ${unreadable("tokenName, tokenLogo")}`,
        `DEBUG ${unreadable("tokenName, tokenLogo")}`,
        `WARN ${unreadable("tokenSymbol, tokenLogo")}`
      ])
    }))
})

describe("onResponse", () => {
  it.effect("gets the complete document without loss of digits, and where and why a field cannot be read", () =>
    Effect.gen(function*() {
      const { onResponse, seen } = observer()
      const harness = yield* TestClients.harness(() => drifted, { ...cachingOptions, onResponse })
      const price = yield* fetchPrice(harness, 1)
      expect(yield* fetchPrice(harness, 1)).toEqual(price)
      expect(seen.map(({ operation, source }) => [operation, source])).toEqual([
        ["tokenPrice", "upstream"],
        ["tokenPrice", "cache"]
      ])
      for (const { json, unreadable } of seen) {
        expect(json()).toMatchObject({ tokenLogo: {}, supply: "10000000000000000001" })
        expect(unreadable.map(({ field, path, reason }) => [field, path, reason])).toEqual([
          ["tokenLogo", "tokenLogo", "expected a string or null, got an object"],
          ["nativePrice", "nativePrice.value", "expected an integer of at least 0 or null, got \"0.5\""],
          ["24hrPercentChange", "24hrPercentChange", "expected a decimal number or null, got \"N/A\""]
        ])
      }
    }))

  it.effect("does not fail the call if it throws, which is logged without what it throws", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const onResponse = ({ json }: DecodedResponse) => {
        throw new Error(JSON.stringify(json()))
      }
      const harness = yield* TestClients.harness([ScriptedClient.json({ usdPrice: 1.5 })], {
        ...minimalOptions,
        onResponse
      })
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const price = Effect.provide(fetchPrice(harness, 1), Logger.replace(Logger.defaultLogger, logger))
      expect(yield* price).toMatchObject({ usdPrice: 1.5 })
      expect(lines).toEqual(["tokenPrice: the observer `onResponse` threw"])
    }))

  it.effect("is called for each page, and that of a call instead of that of the layer", () =>
    Effect.gen(function*() {
      const [ofLayer, ofCall] = [observer(), observer()]
      const page = (cursor: string | null, label: unknown) =>
        ScriptedClient.json({
          cursor,
          result: [1, 2].map(() => ({ owner_address: address, owner_address_label: label }))
        })
      const harness = yield* TestClients.harness([page("a", 5), page(null, "x"), page(null, "x")], {
        ...minimalOptions,
        onResponse: ofLayer.onResponse
      })
      const input = { token_address: address }
      yield* Stream.runDrain(harness.data.tokenOwners.items(input, { onResponse: ofCall.onResponse }))
      expect(ofCall.seen.map(({ unreadable }) => unreadable.map(({ path }) => path))).toEqual([
        ["result[0].owner_address_label", "result[1].owner_address_label"],
        []
      ])
      expect(ofLayer.seen).toEqual([])
      yield* harness.data.tokenOwners(input)
      expect(ofLayer.seen).toHaveLength(1)
    }))
})

describe("decoding: strict", () => {
  const mismatch = {
    _tag: "InvalidResponseError",
    kind: "unexpected-shape",
    path: "tokenLogo",
    reason: "expected a string or null, got an object"
  }

  it.effect("fails at the first field that cannot be read, as for a fact", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => drifted, { ...minimalOptions, decoding: "strict" })
      const error = yield* failureOf(fetchPrice(harness, 1))
      expect(error).toMatchObject(mismatch)
      expect(yield* fetchPrice(harness, 1).pipe(CallOptions.withCallOptions({ decoding: "lenient" })))
        .toMatchObject({ usdPrice: 1.5, tokenLogo: null })
      const fitting = ScriptedClient.json({ usdPrice: 1.5, tokenLogo: "", later: {} })
      const { data } = yield* TestClients.harness([fitting], { ...minimalOptions, decoding: "strict" })
      expect(yield* data.tokenPrice({ address })).toMatchObject({ usdPrice: 1.5, tokenLogo: null })
    }))
})

describe("a record with a fact that cannot be read", () => {
  it.effect.each(recordsOfLists)(
    "fails the list $id by default, and is left out and named with skip",
    (list) =>
      Effect.gen(function*() {
        const { anonymous, fact, identified } = list
        const record = identified ?? anonymous ?? expect.fail("no record")
        const broken = { ...record(2), [fact]: { no: "fact" } }
        const pages = [[record(1), broken, record(3)], [broken], [record(4)]]
        const harness = yield* TestClients.harness(({ url }) =>
          ScriptedClient.json(pageOf(pages, url.searchParams.get("cursor")))
        )
        for (const decoding of [undefined, "lenient", "strict"] as const) {
          const { items } = streamsOf(harness, list, { decoding })
          expect(yield* failureOf(Stream.runDrain(items))).toMatchObject({
            _tag: "InvalidResponseError",
            path: expect.stringMatching(new RegExp(`^result\\[1\\]\\.${fact}`))
          })
        }
        const responses: Array<DecodedResponse> = []
        const onResponse = (response: DecodedResponse) => void responses.push(response)
        const { items } = streamsOf(harness, list, { decoding: "skip", onResponse })
        expect(yield* Stream.runCount(items)).toBe(3)
        const named = responses.map(({ unreadable }) =>
          unreadable.map(({ field, path }) => `${field} ${path.slice(0, 10 + fact.length)}`)
        )
        expect(named).toEqual([[`result[] result[1].${fact}`], [`result[] result[0].${fact}`], []])
        expect(responses.map(({ text }) => JSON.parse(text()).result)).toEqual(
          JSON.parse(JSON.stringify(pages))
        )
      })
  )

  it.effect("is known by its index after others that cannot be read, also of fields in it and behind it", () =>
    Effect.gen(function*() {
      const owner = (number: number, fields: object = {}) => ({
        owner_address: `0x${String(number).padStart(40, "0")}`,
        balance: "1",
        owner_address_label: 5,
        ...fields
      })
      const result = [owner(0), null, owner(2, { balance: "x" }), 7, owner(4)]
      const harness = yield* TestClients.harness(() => ScriptedClient.json({ cursor: null, result }))
      const paths: Array<string> = []
      const page = yield* harness.data.tokenOwners({ token_address: address }, {
        decoding: "skip",
        onResponse: ({ unreadable }) => void paths.push(...unreadable.map(({ path }) => path))
      })
      expect(page.result.map(({ owner_address }) => Number(owner_address))).toEqual([0, 4])
      expect(paths).toEqual([
        "result[0].owner_address_label",
        "result[1]",
        "result[2].balance",
        "result[3]",
        "result[4].owner_address_label"
      ])
    }))
})

describe("decoding: skip", () => {
  it.effect.each([{ cursor: {} }, { total: "many" }, { result: {} }, { result: null }])(
    "does not hide the course of a list: %j",
    (fields) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(() => ScriptedClient.json({ result: [], ...fields }))
        const call = harness.data.tokenOwners({ token_address: address }, { decoding: "skip" })
        expect(yield* failureOf(call)).toMatchObject({
          _tag: "InvalidResponseError",
          path: Object.keys(fields)[0]
        })
      })
  )

  it.effect("changes nothing about other operations", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.json({ usdPrice: {} }))
      const call = harness.data.tokenPrice({ address }, { decoding: "skip" })
      expect(yield* failureOf(call)).toMatchObject({ _tag: "InvalidResponseError", path: "usdPrice" })
    }))

  it.effect.each([["skip", "lenient"], ["lenient", "skip"], ["strict", "skip"], ["skip", "strict"]] as const)(
    "of a cached response is that of its call: %s, then %s",
    (decodings) =>
      Effect.gen(function*() {
        const result = [{ owner_address: address, balance: {} }, { owner_address: address, balance: "1" }]
        const harness = yield* TestClients.harness(() => ScriptedClient.json({ cursor: null, result }), {
          cache: {}
        })
        for (const decoding of [...decodings, ...decodings]) {
          const call = harness.data.tokenOwners({ token_address: address }, { decoding })
          if (decoding === "skip") expect((yield* call).result).toHaveLength(1)
          else expect(yield* failureOf(call)).toMatchObject({ path: "result[0].balance" })
        }
      })
  )
})
