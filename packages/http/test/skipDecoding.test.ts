/** Tests `decoding: "skip"`: records that cannot be read are left out, and nothing else is. */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { address, pageOf, recordsOfLists } from "../../core/test/support/listRecords.ts"
import type { DecodedResponse } from "../src/CallOptions.ts"
import type { ListCallOptions } from "../src/Pagination.ts"
import { failureOf } from "./support/Failures.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

type Items = Stream.Stream<object, ListOperationError>

const itemsOf = (
  { data }: TestClients.Harness,
  options: ListCallOptions
): Readonly<Record<string, () => Items>> => ({
  walletTransfers: () => data.walletTransfers.items({ address }, options),
  tokenTransfers: () => data.tokenTransfers.items({ address }, options),
  contractNfts: () => data.contractNfts.items({ address }, options),
  nftOwners: () => data.nftOwners.items({ address, token_id: "9" }, options),
  tokenOwners: () => data.tokenOwners.items({ token_address: address }, options),
  walletNftTrades: () => data.walletNftTrades.items({ address }, options)
})

const lists = recordsOfLists.flatMap(({ anonymous, fact, id, identified }) => {
  const record = identified ?? anonymous
  return record === null ? [] : [[id, fact, record] as const]
})

describe("a record with a fact that cannot be read", () => {
  it.effect.each(lists)(
    "fails the list %s by default, and is left out and named with skip",
    ([id, fact, record]) =>
      Effect.gen(function*() {
        const broken = { ...record(2), [fact]: { no: "fact" } }
        const pages = [[record(1), broken, record(3)], [broken], [record(4)]]
        const harness = yield* TestClients.harness(({ url }) =>
          ScriptedClient.json(pageOf(pages, url.searchParams.get("cursor")))
        )
        for (const decoding of [undefined, "lenient", "strict"] as const) {
          const failing = itemsOf(harness, { decoding })[id]?.() ?? Stream.empty
          expect(yield* failureOf(Stream.runDrain(failing))).toMatchObject({
            _tag: "InvalidResponseError",
            path: expect.stringMatching(new RegExp(`^result\\[1\\]\\.${fact}`))
          })
        }
        const responses: Array<DecodedResponse> = []
        const onResponse = (response: DecodedResponse) => void responses.push(response)
        const items = itemsOf(harness, { decoding: "skip", onResponse })[id]?.() ?? Stream.empty
        expect(Chunk.size(yield* Stream.runCollect(items))).toBe(3)
        const named = responses.map(({ unreadable }) =>
          unreadable.map(({ field, path }) => `${field} ${path}`)
        )
        expect(named).toEqual([[expect.stringMatching(`^result\\[\\] result\\[1\\]\\.${fact}`)], [
          expect.stringMatching(`^result\\[\\] result\\[0\\]\\.${fact}`)
        ], []])
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
