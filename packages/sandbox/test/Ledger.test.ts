/** The data are consistent for every seed and head. */
import type { ChainName } from "@blockquarry/core/Chain"
import { evmChains } from "@blockquarry/core/Chain"
import { LedgerTransaction } from "@blockquarry/core/model/LedgerTransaction"
import { StreamRecord } from "@blockquarry/core/model/StreamRecord"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { isFull } from "../../core/test/support/sample.ts"
import type { ChainLedger, Ledger } from "../src/Ledger.ts"
import { make } from "../src/Ledger.ts"
import { zeroAddress } from "../src/ledger/Identifiers.ts"
import {
  comparableText,
  expectAscending,
  expectConsistentCollection,
  expectConsistentToken,
  expectConsistentWallet,
  expectUniquePositions,
  fullHistory
} from "./consistency.ts"

const seed = FastCheck.oneof(FastCheck.integer(), FastCheck.double({ noNaN: true }))
const scale = FastCheck.nat(2500)
const growth = FastCheck.constantFrom(0, 1, 7, 60)
const names: ReadonlyArray<ChainName> = ["eth", "polygon", "sepolia", "arbitrum", "gnosis", "palm"]
const name = FastCheck.constantFrom(...names)

const chainOf = (ledger: Ledger, name: ChainName): ChainLedger => {
  const chain = ledger.chains.get(name)
  if (chain === undefined) throw new Error(`no ${name}`)
  return chain
}

/** Each run reads whole chains. */
const runs = { fastCheck: { numRuns: isFull ? 30 : 2 } }

/** All data of a chain as a string. */
const chainAsText = (chain: ChainLedger, ledger: Ledger): string =>
  comparableText([
    fullHistory(chain, ledger),
    chain.block(chain.head),
    [...chain.tokens.values()].map((token) => [token, chain.holders(token.address)]),
    [...chain.collections.values()].map((collection) => [collection, chain.nfts(collection.address)]),
    [...ledger.wallets.values()].map((wallet) => [wallet, chain.activity(wallet.address)])
  ])

describe("balances", () => {
  const heads = { seed, scale, name, growth }

  it.prop("are consistent at every head", heads, ({ growth, name, scale, seed }) => {
    const ledger = make({ seed, scale })
    const chain = chainOf(ledger, name).withNewBlocks(growth)
    const all = fullHistory(chain, ledger)
    for (const token of chain.tokens.keys()) expectConsistentToken(chain, token)
    for (const collection of chain.collections.keys()) {
      expectConsistentCollection(chain, collection, all.trades)
    }
    expectUniquePositions([...all.transfers, ...all.nftTransfers])
    for (const wallet of [...ledger.wallets.keys(), zeroAddress]) expectConsistentWallet(chain, wallet, all)
  }, runs)

  // The boundaries of the rounds of the busy token, which have 1024 transfers each after the first one
  it.each(isFull ? [0, 1, 2, 1025, 1026, 2050, 5000] : [0, 1025, 1026])(
    "of the busy token are consistent after %i transfers",
    (scale) => {
      const ledger = make({ scale })
      const eth = chainOf(ledger, "eth")
      for (const chain of [eth, eth.withNewBlocks(7)]) expectConsistentToken(chain, ledger.examples.busyToken)
      const all = fullHistory(eth, ledger)
      for (const wallet of [...ledger.wallets.keys()].slice(0, 8)) expectConsistentWallet(eth, wallet, all)
    }
  )

  it("have a million transfers in order, accessible at any index", () => {
    const million = 1_000_000
    const { chains, examples } = make({ scale: million })
    expect([...chains.keys()]).toEqual(evmChains)
    const eth = chains.get("eth") ?? expect.fail("no eth")
    for (
      const sequence of [eth.tokenTransfers(examples.busyToken), eth.walletTransfers(examples.busyWallet)]
    ) {
      expect(sequence.length).toBeGreaterThanOrEqual(million)
      for (let index = 0; index + 1 < sequence.length; index += 97) {
        expectAscending([index, index + 1].flatMap((at) => sequence.at(at) ?? expect.fail(`${at}`)), eth.head)
      }
      expect(sequence.at(sequence.length - 1)?.block).toBe(eth.head)
      expect([-1, 0.5, sequence.length, Number.NaN].flatMap((at) => sequence.at(at) ?? [])).toEqual([])
    }
  })
})

describe("withNewBlocks", () => {
  it.prop(
    "does not change past blocks",
    [seed, scale, name, growth, growth],
    ([seed, scale, name, first, second]) => {
      const ledger = make({ seed, scale })
      const chain = chainOf(ledger, name)
      const before = fullHistory(chain, ledger)
      const between = chain.withNewBlocks(first)
      fullHistory(between, ledger)
      const grown = between.withNewBlocks(second)
      expect(grown.head).toBe(chain.head + first + second)
      const after = fullHistory(grown, ledger)
      const past = <A extends { readonly block: number }>(items: ReadonlyArray<A>) =>
        items.filter(({ block }) => block <= chain.head)
      const sorted = ({ nftTransfers, trades, transfers }: typeof before) =>
        [past(transfers), past(nftTransfers), past(trades)].map((items) => items.map(comparableText).sort())
      expect(sorted(after)).toEqual(sorted(before))
      expect(comparableText(fullHistory(chain, ledger))).toBe(comparableText(before))
      // The result does not depend on intermediate heads and earlier reads
      const other = make({ seed, scale })
      expect(chainAsText(chainOf(other, name).withNewBlocks(first + second), other)).toBe(
        chainAsText(grown, ledger)
      )
    },
    runs
  )
})

describe("make", () => {
  it.prop("has these examples for any seed", [seed], ([seed]) => {
    const { chains, examples } = make({ seed, scale: 10 })
    const eth = chains.get("eth")
    expect(eth?.nfts(examples.collection721).map(({ tokenId }) => tokenId)).toContain(1n)
    expect(eth?.nfts(examples.collection1155).map(({ tokenId }) => tokenId)).toContain(examples.tokenId1155)
    expect(eth?.walletTrades(examples.wallet).length).toBeGreaterThan(0)
    const supply = eth?.holders(examples.unpricedToken).reduce((sum, { balance }) => sum + balance, 0n)
    expect(supply).toBe(2n ** 256n - 1n)
  }, runs)
})

describe("data", () => {
  const ledger = make()
  it.prop(
    "have blocks with ascending timestamps that blockAt finds",
    [name, FastCheck.nat(10_000_000)],
    ([name, back]) => {
      const chain = chainOf(ledger, name)
      const number = Math.max(1, chain.head - back)
      const block = chain.block(number)
      const before = chain.block(number - 1)
      if (block === undefined || before === undefined) throw new Error("no block")
      expect(block.timestamp).toBeGreaterThan(before.timestamp)
      expect(block.hash).not.toBe(before.hash)
      expect(chain.blockAt(block.timestamp)).toBe(number)
      expect(chain.blockAt(block.timestamp - 1)).toBe(number - 1)
      expect(chain.blockAt(-1e15)).toBe(-1)
      expect(chain.blockAt(1e15)).toBe(chain.head)
      expect(chain.block(chain.head + 1)).toBeUndefined()
    }
  )

  it("have a stream and transactions in every variant that the models decode", () => {
    const decodeStream = Schema.decodeUnknownSync(StreamRecord)
    expect(ledger.streams.map((stream) => decodeStream(stream).status)).toEqual(["active"])
    const decode = Schema.decodeUnknownSync(LedgerTransaction)
    for (const documents of [ledger.transactions.mainnet, ledger.transactions.testnet]) {
      const types = new Set([...documents].map(([hash, document]) => {
        const transaction = decode(document)
        expect(transaction.hash).toBe(hash)
        return transaction.type
      }))
      expect(types.size).toBe(8)
    }
    const { mainnet } = ledger.transactions
    expect(mainnet.get(ledger.examples.transaction)).toMatchObject({ type: "user_transaction" })
    expect(mainnet.get(ledger.examples.pendingTransaction)).toMatchObject({ type: "pending_transaction" })
  })
})
