/** Tests the clients, which are derived from the operations: this covers the one type assertion in `ApiClient.ts`. */
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

describe("the clients", () => {
  it.effect("have a method for each operation, and no other", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([])
      expect(Object.keys(harness.data)).toEqual(Object.keys(dataOperations))
      expect(Object.keys(harness.streams)).toEqual(Object.keys(streamsOperations))
      expect(Object.keys(harness.ledger)).toEqual(Object.keys(ledgerOperations))
      expect(Object.keys(harness.ledgerTestnet)).toEqual(Object.keys(ledgerOperations))
      expect(examples.map(({ id }) => id).toSorted()).toEqual(allOperations.map(({ id }) => id).toSorted())
      expect(allOperations).toHaveLength(11)
    }))

  it.effect("have pages and items exactly for list operations", () =>
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
    "return the output of $id from its own request",
    ({ call, document, id }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.json(document)])
        const output = yield* call(harness)
        expect(Object.keys(Object(output))).toEqual(expect.arrayContaining(Object.keys(Object(document))))
        const method = allOperations.find((operation) => operation.id === id)?.method
        expect(harness.requests.map((requests) => requests.method)).toEqual([method])
      })
  )

  it.effect("paginate every list: pages and items contain the same records", () =>
    Effect.gen(function*() {
      const documents = new Map(examples.map(({ document, id }) => [id, document]))
      const id = (url: URL): string => {
        const match = [
          ["walletTransfers", `/${address}/erc20/transfers`],
          ["tokenTransfers", `/erc20/${address}/transfers`],
          ["nftOwners", `/nft/${contract}/9/owners`],
          ["contractNfts", `/nft/${contract}`],
          ["walletNftTrades", `/wallets/${address}/nfts/trades`],
          ["tokenOwners", `/erc20/${address}/owners`]
        ].find(([, path]) => url.pathname === `/api/v2.2${path}`)
        return match?.[0] ?? ""
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

  it.effect("use separate base URLs for the two networks of the ledger", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.json({ hash }))
      yield* harness.ledger.ledgerTransaction({ txn_hash: hash })
      yield* harness.ledgerTestnet.ledgerTransaction({ txn_hash: hash })
      expect(harness.requests.map(({ url }) => url.host)).toEqual(["ledger.test", "testnet.test"])
    }))
})
