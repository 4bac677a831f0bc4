/** The record of functions that is made of the record of operations: the test behind the one cast in `Client.ts`. */
import { isList } from "@blockquarry/core/Operation"
import { all, data, ledger, streams } from "@blockquarry/core/operations/index"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Clients from "./support/Clients.ts"
import { address, contract, examples, hash } from "./support/Examples.ts"
import * as Scripted from "./support/Scripted.ts"

describe("clients", () => {
  it.effect("have a method for each of the eleven operations, and none besides", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([])
      expect(Object.keys(scene.data)).toEqual(Object.keys(data))
      expect(Object.keys(scene.streams)).toEqual(Object.keys(streams))
      expect(Object.keys(scene.ledger)).toEqual([...Object.keys(ledger), "testnet"])
      expect(Object.keys(scene.ledger.testnet)).toEqual(Object.keys(ledger))
      expect(examples.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
      expect(all).toHaveLength(11)
    }))

  it.effect("have pages and items exactly where the operation is a list", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([])
      const methods = Object.entries({
        ...scene.data,
        ...scene.streams,
        ledgerTransaction: scene.ledger.ledgerTransaction
      })
      const lists = methods.filter(([, method]) => "pages" in method && "items" in method).map(([id]) => id)
      expect(lists.toSorted()).toEqual(all.filter(isList).map(({ id }) => id).toSorted())
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
    ({ ask, document, id }) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene([Scripted.json(document)])
        const answer = yield* ask(scene)
        expect(Object.keys(Object(answer))).toEqual(expect.arrayContaining(Object.keys(Object(document))))
        const method = all.find((operation) => operation.id === id)?.method
        expect(scene.asked.map((asked) => asked.method)).toEqual([method])
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
      const { data } = yield* Clients.scene(({ url }) => Scripted.json(documents.get(id(url))))
      const walks: ReadonlyArray<
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
      for (const [items, pages] of walks) {
        const records = Chunk.toReadonlyArray(yield* Stream.runCollect(items))
        expect(records).toHaveLength(1)
        expect(Chunk.toReadonlyArray(yield* Stream.runCollect(pages)).flatMap(({ result }) => result))
          .toEqual(records)
      }
    }))

  it.effect("keep the two networks of the ledger apart", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.json({ hash }))
      yield* scene.ledger.ledgerTransaction({ txn_hash: hash })
      yield* scene.ledger.testnet.ledgerTransaction({ txn_hash: hash })
      expect(scene.asked.map(({ url }) => url.host)).toEqual(["ledger.test", "testnet.test"])
    }))
})
