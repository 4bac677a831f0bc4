/** Messages about invalid inputs, chains, parameters, costs and TTLs of the operations. */
import * as Chain from "@blockquarry/core/Chain"
import type { AnyOperation, ExampleValues } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import type { Ttl } from "@blockquarry/core/Ttl"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import { record } from "./support/record.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"12".repeat(32)}`

const operationOf = (id: string): AnyOperation => {
  const found = allOperations.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

const values: ExampleValues = {
  wallet: address,
  token: address,
  collection721: address,
  tokenId721: "1",
  stream: "stream-1",
  transaction: hash
}

/** A valid input of each operation with only the required parameters. */
const requiredInput: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.fromEntries(
  allOperations.map(({ example, id, parameters }: AnyOperation) => {
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
    return [
      id,
      Object.fromEntries(
        Object.entries(Object(example?.(values))).filter(([name]) => required.includes(name))
      )
    ]
  })
)

/** Mostly one invalid parameter each, in addition to the required ones. */
const invalidParameters: ReadonlyArray<
  readonly [operation: string, input: Readonly<Record<string, unknown>>]
> = [
  ["walletTransfers", { address: undefined }],
  ["walletTransfers", { address: "" }],
  ["walletTransfers", { address: 5 }],
  ["walletTransfers", { address: "0x12" }],
  ["walletTransfers", { chain: "ethereum" }],
  ["walletTransfers", { chain: "0x2" }],
  ["walletTransfers", { chain: null }],
  ["walletTransfers", { limit: 0 }],
  ["walletTransfers", { limit: 1.5 }],
  ["walletTransfers", { limit: 2 ** 60 }],
  ["walletTransfers", { limit: [1, 2] }],
  ["walletTransfers", { order: "up" }],
  ["walletTransfers", { cursor: 5 }],
  ["walletTransfers", { cursor: "\ud800" }],
  ["walletTransfers", { contract_addresses: "0x12" }],
  ["walletTransfers", { contract_addresses: [address, "0x12"] }],
  ["walletTransfers", { contract_addresses: {} }],
  ["walletTransfers", { from_block: "latest" }],
  ["walletTransfers", { from_block: 2, to_block: 1 }],
  ["walletTransfers", { from_date: "yesterday" }],
  ["walletTransfers", { from_date: "2024-02-30" }],
  ["walletTransfers", { from_date: "2024-02-01", to_date: "2024-01-01" }],
  ["walletTransfers", { from_date: null, to_block: "x", limit: 0 }],
  ["walletTransfers", { addres: address }],
  ["walletTransfers", { contract_address: [address] }],
  ["walletTransfers", { address: "0x12", chain: "mars", limit: 0, order: "up" }],
  ["tokenTransfers", { chain: "goerli" }],
  ["contractNfts", { format: 5 }],
  ["contractNfts", { totalRanges: 0 }],
  ["contractNfts", { range: "first" }],
  ["contractNfts", { normalizeMetadata: "yes" }],
  ["contractNfts", { media_items: 2 }],
  ["nftOwners", { token_id: "one" }],
  ["nftOwners", { token_id: (2n ** 256n).toString() }],
  ["walletNftTrades", { chain: "fantom" }],
  ["walletNftTrades", { from_date: -1 }],
  ["walletNftTrades", { to_date: "soon" }],
  ["tokenOwners", { address }],
  ["nftMetadata", { format: "octal" }],
  ["tokenPrice", { chain: "sepolia" }],
  ["tokenPrice", { include: "everything" }],
  ["tokenPrice", { exchange: "" }],
  ["tokenPrice", { exchange: "nowhere" }],
  ["walletChains", { chains: "mars" }],
  ["walletChains", { chains: ["eth", "mars"] }],
  ["updateStreamStatus", { id: undefined, status: undefined }],
  ["updateStreamStatus", { status: "running" }],
  ["updateStreamStatus", { id: "a/b" }],
  ["updateStreamStatus", { id: "line\nbreak" }],
  ["ledgerTransaction", { txn_hash: "0x12" }],
  ["ledgerTransaction", { txn_hash: undefined }]
]

const formatted = (input: unknown): string =>
  JSON.stringify(input, (_, value) => value === undefined ? "(undefined)" : value) ?? "undefined"

it("messages about invalid inputs are as recorded", async () => {
  const messages: Record<string, Record<string, unknown>> = {}
  const add = (id: string, input: unknown, title: string) => {
    const result = decodeInput(operationOf(id), input)
    messages[id] = {
      ...messages[id],
      [title]: Either.match(result, {
        onLeft: ({ message }) => message,
        onRight: (accepted: unknown) => ({ accepted })
      })
    }
  }
  for (const [id, input] of invalidParameters) add(id, { ...requiredInput[id], ...input }, formatted(input))
  for (const input of [null, undefined, "text", 5, [], [address]]) {
    add("walletTransfers", input, `the input is ${formatted(input)}`)
  }
  for (const { id } of allOperations) {
    expect(Either.isRight(decodeInput(operationOf(id), requiredInput[id])), id).toBe(true)
  }
  await record("invalidInputs", messages, 2)
})

it("chains are as recorded", async () => {
  await record("chains", {
    "name and id": Object.fromEntries(Chain.evmChains.map((name) => [name, Chain.chainId(name)])),
    "of transfers, NFTs, holders and activity": Chain.evmChains.join(", "),
    "of NFT trades": Chain.nftTradeChains.join(", "),
    "of prices": Chain.priceChains.join(", "),
    "name of a text": Object.fromEntries(
      ["eth", "ETH", "Polygon Amoy", "0x1", "0XA4B1", "0x01", "1", "mainnet", ""].map((text) => [
        text,
        Chain.chainName(text) ?? null
      ])
    )
  })
})

const describeTtl = (ttl: Ttl): string => {
  const millis = (duration: Duration.DurationInput) => `${Duration.toMillis(duration)} ms`
  switch (ttl._tag) {
    case "Immutable":
      return "for ever"
    case "NoStore":
      return "not cached"
    case "MaxAge":
      return millis(ttl.duration)
    case "UpToBlock":
      return `${millis(ttl.finalizedTtl)} once block ${ttl.block} is final, ${millis(ttl.recentTtl)} before`
  }
}

const nft = { token_address: address, token_id: "9" }
const page = (...result: ReadonlyArray<unknown>) => ({ page: 0, page_size: 100, cursor: null, result })

const responses: ReadonlyArray<
  readonly [operation: string, input: Readonly<Record<string, unknown>>, response: unknown]
> = [
  ["walletTransfers", {}, page()],
  ["walletTransfers", { to_block: 100 }, page()],
  ["walletTransfers", { to_date: "2024-01-01" }, page()],
  ["tokenTransfers", {}, page()],
  ["tokenTransfers", { to_block: 100 }, page()],
  ["contractNfts", {}, page()],
  ["contractNfts", {}, page(nft)],
  ["contractNfts", {}, { ...page(nft), status: "SYNCING" }],
  ["contractNfts", {}, { ...page(nft), status: "SYNCED" }],
  ["nftOwners", {}, page()],
  ["nftOwners", {}, { ...page(nft), status: "SYNCING" }],
  ["nftOwners", {}, { ...page(nft), status: "SYNCED" }],
  ["walletNftTrades", {}, page()],
  ["walletNftTrades", { to_block: 100 }, page()],
  ["tokenOwners", {}, page()],
  ["nftMetadata", {}, nft],
  ["tokenPrice", {}, { usdPrice: 1 }],
  ["tokenPrice", { to_block: 100 }, { usdPrice: 1 }],
  ["walletChains", {}, { address, active_chains: [] }],
  ["updateStreamStatus", {}, { id: "stream-1", status: "active" }],
  ["ledgerTransaction", {}, { hash, sender: "0x1" }],
  ["ledgerTransaction", {}, { type: "user_transaction", hash, sender: "0x1" }],
  ["ledgerTransaction", {}, { type: "pending_transaction", hash, sender: "0x1" }],
  ["ledgerTransaction", {}, { type: "block_metadata_transaction", hash }]
]

it("TTLs are as recorded", async () => {
  expect(new Set(responses.map(([id]) => id))).toEqual(new Set(allOperations.map(({ id }) => id)))
  const ttls = responses.map(([id, input, response]) => {
    const operation = operationOf(id)
    const canonical: unknown = Either.getOrThrow(decodeInput(operation, { ...requiredInput[id], ...input }))
    return {
      operation: id,
      input,
      response,
      ttl: describeTtl(operation.ttl(canonical, () => response)),
      cost: operation.cost
    }
  })
  await record("ttls", ttls, 1)
  const idsOf = (isChosen: (operation: AnyOperation) => boolean) =>
    allOperations.filter((operation: AnyOperation) => isChosen(operation)).map(({ id }) => id)
  await record("notFound", {
    "null is not found": idsOf(({ isNotFound }) => isNotFound(() => null)),
    "an empty object is not found": idsOf(({ isNotFound }) => isNotFound(() => ({}))),
    "not found is not cached": idsOf(({ cacheNotFound }) => !cacheNotFound),
    "retried only if it was not applied": idsOf(({ retry }) => retry !== "always")
  }, 1)
})
