/** Compares `Aggregates`, computed from logged transfers, with the state of OpenZeppelin contracts on an Anvil node. */
import { Address } from "@blockquarry/core/Address"
import { Hash } from "@blockquarry/core/Hash"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Hex, Log } from "viem"
import type { NftTransfer, TokenTransfer } from "../src/Ledger.ts"
import * as Aggregates from "../src/ledger/Aggregates.ts"
import { zeroAddress } from "../src/ledger/Identifiers.ts"
import type { Anvil, AnvilClient } from "./ledger/anvil.ts"
import { program, start } from "./ledger/anvil.ts"
import { erc1155, erc20, erc721, runTransactions } from "./ledger/contracts.ts"

const address = Schema.decodeSync(Address)
const hash = Schema.decodeSync(Hash)

const anvil = program()
if (anvil === undefined) {
  console.warn(`Anvil.test.ts is skipped: no anvil for ${process.platform} ${process.arch}`)
}

/** The position of a log. */
const blockPosition = (log: Log<bigint, number, false>) => ({
  block: Number(log.blockNumber),
  transaction: hash(log.transactionHash),
  transactionIndex: log.transactionIndex,
  logIndex: log.logIndex
})

/** Reads the logs of all contracts as transfers of the ledger. */
const readTransfers = async (
  client: AnvilClient,
  { minted, preset, several, unique }: Awaited<ReturnType<typeof runTransactions>>
) => {
  const range = { fromBlock: 0n, strict: true } as const
  const tokens = await client.getContractEvents({
    ...range,
    abi: erc20,
    eventName: "Transfer",
    address: [minted, preset]
  })
  const uniques = await client.getContractEvents({
    ...range,
    abi: erc721,
    eventName: "Transfer",
    address: unique
  })
  const singles = await client.getContractEvents({
    ...range,
    abi: erc1155,
    eventName: "TransferSingle",
    address: several
  })
  const batches = await client.getContractEvents({
    ...range,
    abi: erc1155,
    eventName: "TransferBatch",
    address: several
  })

  const transfers = tokens.map((log): TokenTransfer => ({
    token: address(log.address),
    ...blockPosition(log),
    from: address(log.args.from),
    to: address(log.args.to),
    value: log.args.value
  }))
  const nftTransfers = [
    ...uniques.map((log) => ({ log, tokenId: log.args.tokenId, amount: 1n })),
    ...singles.map((log) => ({ log, tokenId: log.args.id, amount: log.args.value })),
    ...batches.flatMap((log) =>
      log.args.ids.map((tokenId, index) => ({ log, tokenId, amount: log.args.amounts[index] ?? 0n }))
    )
  ].map(({ amount, log, tokenId }): NftTransfer => ({
    collection: address(log.address),
    tokenId,
    amount,
    ...blockPosition(log),
    from: address(log.args.from),
    to: address(log.args.to)
  })).sort((left, right) => left.block - right.block || left.logIndex - right.logIndex)
  return { transfers, nftTransfers }
}

it.runIf(process.env["QUARRY_CHECK"] === "1")("anvil is available in a full check", () => {
  expect(anvil).toBeDefined()
})

describe.skipIf(anvil === undefined)("Aggregates", () => {
  let node: Anvil | undefined
  let chain: Awaited<ReturnType<typeof runTransactions>> & Awaited<ReturnType<typeof readTransfers>>

  const client = (): AnvilClient => {
    if (node === undefined) throw new Error("no node")
    return node.client
  }

  beforeAll(async () => {
    node = await Effect.runPromise(start(anvil ?? "anvil"))
    const result = await runTransactions(node.client)
    chain = { ...result, ...(await readTransfers(node.client, result)) }
  })

  afterAll(() => node?.kill())

  it("has transactions of every kind", () => {
    const { alive, ids, moves, nftTransfers, transfers } = chain
    expect(moves).toBeGreaterThan(60)
    expect(transfers.some(({ to }) => to === zeroAddress)).toBe(true)
    expect(transfers.some(({ value }) => value > 2n ** 250n)).toBe(true)
    expect(BigInt(alive.size)).toBeLessThan(ids)
    const perBlock = Aggregates.groupBy([...transfers, ...nftTransfers], ({ block }) => block)
    expect(Math.max(...[...perBlock.values()].map((items) => items.length))).toBeGreaterThan(4)
  })

  it("returns the balances and supplies of the contracts", async () => {
    for (const token of [chain.minted, chain.preset]) {
      const own = chain.transfers.filter((transfer) => transfer.token === address(token))
      const balances = Aggregates.balances(own)
      for (const account of chain.accounts) {
        const expected = await client().readContract({
          abi: erc20,
          address: token,
          functionName: "balanceOf",
          args: [account]
        })
        expect(balances.get(address(account)) ?? 0n).toBe(expected)
      }
      const supply = await client().readContract({ abi: erc20, address: token, functionName: "totalSupply" })
      expect(Aggregates.totalSupply(own)).toBe(supply)
      expect(Aggregates.holders(balances).reduce((sum, { balance }) => sum + balance, 0n)).toBe(supply)
    }
  })

  it("returns the owners of the contracts", async () => {
    const own = chain.nftTransfers.filter(({ collection }) => collection === address(chain.unique))
    const states = new Map(Aggregates.nfts(own).map((state) => [state.tokenId, state]))
    expect(BigInt(states.size)).toBe(chain.ids)
    for (const [id, { owners }] of states) {
      const expected = chain.alive.has(id)
        ? [
          address(
            await client().readContract({
              abi: erc721,
              address: chain.unique,
              functionName: "ownerOf",
              args: [id]
            })
          )
        ]
        : []
      expect(owners.map(({ owner }) => owner)).toEqual(expected)
    }
    expect([...states.values()].filter(({ owners }) => owners.length > 0).length)
      .toBe(
        Number(
          await client().readContract({ abi: erc721, address: chain.unique, functionName: "totalSupply" })
        )
      )
  })

  it("returns the amounts of the contracts", async () => {
    const own = chain.nftTransfers.filter(({ collection }) => collection === address(chain.several))
    for (const { owners, tokenId } of Aggregates.nfts(own)) {
      const amounts = new Map(owners.map(({ amount, owner }) => [owner, amount]))
      for (const account of chain.accounts) {
        const expected = await client().readContract({
          abi: erc1155,
          address: chain.several,
          functionName: "balanceOf",
          args: [account, tokenId]
        })
        expect(amounts.get(address(account)) ?? 0n).toBe(expected)
      }
    }
  })

  it("returns the first and last transactions that event filters of the node find", async () => {
    const { minted, preset, several, unique } = chain
    const events = [
      ...[minted, preset].map((at) => ({ at, abi: erc20, name: "Transfer" as const })),
      { at: unique, abi: erc721, name: "Transfer" as const },
      { at: several, abi: erc1155, name: "TransferSingle" as const },
      { at: several, abi: erc1155, name: "TransferBatch" as const }
    ]
    const all = [...chain.transfers, ...chain.nftTransfers]
    for (const account of chain.accounts) {
      const found: Array<{ readonly block: bigint; readonly index: number; readonly transaction: Hex }> = []
      for (const { abi, at, name } of events) {
        for (const side of ["from", "to"]) {
          const logs = await client().getContractEvents({
            abi,
            eventName: name,
            address: at,
            args: { [side]: account },
            fromBlock: 0n,
            strict: true
          })
          for (const log of logs) {
            found.push({
              block: log.blockNumber,
              index: log.transactionIndex,
              transaction: log.transactionHash
            })
          }
        }
      }
      found.sort((left, right) => Number(left.block - right.block) || left.index - right.index)
      const wallet = address(account)
      const activity = Aggregates.activity(all.filter(({ from, to }) => from === wallet || to === wallet))
      expect([activity?.first.transaction, activity?.last.transaction])
        .toEqual([found[0]?.transaction, found.at(-1)?.transaction])
    }
  })
})
