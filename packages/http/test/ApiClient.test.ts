/** The record of functions that is made of the record of operations: the test behind the one cast in `Client.ts`. */
import { isList } from "@blockquarry/core/Operation"
import {
  allOperations,
  dataOperations,
  ledgerOperations,
  streamsOperations
} from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { address, contract, examples, hash } from "./support/Examples.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

describe("clients", () => {
  it.effect("have a method for each of the eleven operations, and none besides", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([])
      expect(Object.keys(harness.data)).toEqual(Object.keys(dataOperations))
      expect(Object.keys(harness.streams)).toEqual(Object.keys(streamsOperations))
      expect(Object.keys(harness.ledger)).toEqual(Object.keys(ledgerOperations))
      expect(Object.keys(harness.ledgerTestnet)).toEqual(Object.keys(ledgerOperations))
      expect(examples.map(({ id }) => id).toSorted()).toEqual(allOperations.map(({ id }) => id).toSorted())
      expect(allOperations).toHaveLength(11)
    }))

  it.effect("have pages and items exactly where the operation is a list", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([])
      const methods = Object.entries({
        ...harness.data,
        ...harness.streams,
        ledgerTransaction: harness.ledger.ledgerTransaction
      })
      const lists = methods.filter(([, method]) => "pages" in method && "items" in method).map(([id]) => id)
      expect(lists.toSorted()).toEqual(allOperations.filter(isList).map(({ id }) => id).toSorted())
      expect(lists.toSorted()).toEqual([
        "contractNfts",
        "nftOwners",
        "tokenOwners",
        "tokenTransfers",
        "walletNftTrades",
        "walletTransfers"
      ])
      expect(methods.filter(([, method]) => "pages" in method || "items" in method)).toHaveLength(6)
      expect(methods.every(([, method]) => typeof method === "function")).toBe(true)
    }))

  it.effect.each(examples)(
    "answer $id with its own model, through its own operation",
    ({ call: ask, document, id }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.json(document)])
        const answer = yield* ask(harness)
        expect(Object.keys(Object(answer))).toEqual(expect.arrayContaining(Object.keys(Object(document))))
        const method = allOperations.find((operation) => operation.id === id)?.method
        expect(harness.requests.map((requests) => requests.method)).toEqual([method])
      })
  )

  it.effect("walk every list: its pages and its items are the records of the answer", () =>
    Effect.gen(function*() {
      const documents = new Map(examples.map(({ document, id }) => [id, document]))
      const id = (url: URL): string => {
        const found = [
          ["walletTransfers", `/${address}/erc20/transfers`],
          ["tokenTransfers", `/erc20/${address}/transfers`],
          ["nftOwners", `/nft/${contract}/9/owners`],
          ["contractNfts", `/nft/${contract}`],
          ["walletNftTrades", `/wallets/${address}/nfts/trades`],
          ["tokenOwners", `/erc20/${address}/owners`]
        ].find(([, path]) => url.pathname === `/api/v2.2${path}`)
        return found?.[0] ?? ""
      }
      const { data } = yield* TestClients.harness(({ url }) => ScriptedClient.json(documents.get(id(url))))
      const paginations: ReadonlyArray<
        readonly [
          Stream.Stream<unknown, Error>,
          Stream.Stream<{ readonly result: ReadonlyArray<unknown> }, Error>
        ]
      > = [
        [data.walletTransfers.items({ address }), data.walletTransfers.pages({ address })],
        [data.tokenTransfers.items({ address }), data.tokenTransfers.pages({ address })],
        [data.contractNfts.items({ address: contract }), data.contractNfts.pages({ address: contract })],
        [
          data.nftOwners.items({ address: contract, token_id: 9n }),
          data.nftOwners.pages({ address: contract, token_id: 9n })
        ],
        [data.walletNftTrades.items({ address }), data.walletNftTrades.pages({ address })],
        [
          data.tokenOwners.items({ token_address: address }),
          data.tokenOwners.pages({ token_address: address })
        ]
      ]
      for (const [items, pages] of paginations) {
        const records = Chunk.toReadonlyArray(yield* Stream.runCollect(items))
        expect(records).toHaveLength(1)
        expect(Chunk.toReadonlyArray(yield* Stream.runCollect(pages)).flatMap(({ result }) => result))
          .toEqual(records)
      }
    }))

  it.effect("keep the two networks of the ledger apart", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.json({ hash }))
      yield* harness.ledger.ledgerTransaction({ txn_hash: hash })
      yield* harness.ledgerTestnet.ledgerTransaction({ txn_hash: hash })
      expect(harness.requests.map(({ url }) => url.host)).toEqual(["ledger.test", "testnet.test"])
    }))
})
