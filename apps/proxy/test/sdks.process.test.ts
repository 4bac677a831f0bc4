/**
 * Public SDKs get the ledger's values through the proxy. Only their base URL changes and, if the proxy has clients, their
 * API key, which becomes a client token.
 */
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import Moralis from "moralis"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { ClientConfig } from "../src/config/Config.ts"
import { examples, ledger, start, testClient, testConfig } from "./support/proxy.ts"

const key = "canary-of-the-client"

const scope = Effect.runSync(Scope.make())
const proxy = await Effect.runPromise(Scope.extend(start(), scope))

/** Changes the clients of the running proxy: the SDKs keep their first base URL. */
const useClients = (clients: ReadonlyArray<ClientConfig>) =>
  Effect.runPromise(proxy.reload(testConfig({ config: { clients } })))

const modes: { readonly [name: string]: ReadonlyArray<ClientConfig> } = {
  "a proxy with anonymous access": [],
  "a proxy with clients": [testClient("sdk", key), testClient("another", "another")]
}

const { collection1155, collection721, token, tokenId1155, tokenId721, wallet } = examples

const eth = ledger.chains.get("eth")
if (eth === undefined) throw new Error("the ledger has no eth")

/** Returns the last `count` elements of a sequence, latest first. */
const latest = <A>(
  of: { readonly length: number; readonly at: (index: number) => A | undefined },
  count: number
) => Array.from({ length: count }, (_, index) => of.at(of.length - 1 - index))

const requests = () => Effect.runPromise(proxy.sandbox.recordedRequests)

/** Creates a client that sends the key as a bearer token. */
const aptos = (apiKey: string) =>
  new Aptos(
    new AptosConfig({
      network: Network.CUSTOM,
      fullnode: `${proxy.origin}/v1`,
      clientConfig: { API_KEY: apiKey }
    })
  )

beforeAll(() => Moralis.start({ apiKey: key, evmApiBaseUrl: `${proxy.origin}/api/v2.2` }))
beforeEach(() => Effect.runPromise(proxy.sandbox.clearRecordedRequests))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

for (const [name, clients] of Object.entries(modes)) {
  describe(`moralis, through ${name}`, () => {
    beforeAll(() => useClients(clients))

    it("lists the transfers of a wallet for some contracts over two pages", async () => {
      const first = await Moralis.EvmApi.token.getWalletTokenTransfers({
        address: wallet,
        chain: "0x1",
        contractAddresses: [token],
        limit: 3
      })
      const second = await first.next()
      const all = eth.walletTransfers(wallet)
      const expected = latest(all, all.length).filter((transfer) => transfer?.token === token).slice(0, 6)
      expect(
        [...first.result, ...second.result].map((
          { transactionHash, value }
        ) => [transactionHash, value.toString()])
      )
        .toEqual(expected.map((transfer) => [transfer?.transaction, String(transfer?.value)]))
      const seen = await requests()
      expect(seen.map(({ query }) => query.find(([name]) => name.startsWith("contract_addresses")))).toEqual([
        ["contract_addresses[]", token],
        ["contract_addresses[]", token]
      ])
      expect(JSON.stringify(seen)).not.toContain("canary")
    })

    it("lists the NFTs of a contract", async () => {
      // This SDK fails on later NFTs, whose metadata is not JSON
      const { result } = await Moralis.EvmApi.nft.getContractNFTs({
        address: collection721,
        chain: "0x1",
        limit: 2
      })
      expect(result.map(({ tokenId }) => BigInt(tokenId)))
        .toEqual(eth.nfts(collection721).slice(0, 2).map(({ tokenId }) => tokenId))
    })

    it("lists the owners of an NFT", async () => {
      const { result } = await Moralis.EvmApi.nft.getNFTTokenIdOwners({
        address: collection1155,
        tokenId: String(tokenId1155),
        chain: "0x1"
      })
      const owners = eth.nfts(collection1155).find(({ tokenId }) => tokenId === tokenId1155)?.owners ?? []
      expect(owners.length).toBeGreaterThan(0)
      expect(new Set(result.map(({ amount, ownerOf }) => `${ownerOf?.lowercase} ${amount}`)))
        .toEqual(new Set(owners.map(({ amount, owner }) => `${owner} ${amount}`)))
    })

    it("gets the metadata of an NFT", async () => {
      const response = await Moralis.EvmApi.nft.getNFTMetadata({
        address: collection721,
        tokenId: String(tokenId721),
        chain: "0x1",
        normalizeMetadata: true
      })
      const nft = eth.nfts(collection721).find(({ tokenId }) => tokenId === tokenId721)
      expect(response?.result.ownerOf?.lowercase).toBe(nft?.owners[0]?.owner)
      expect(response?.result.name).toBe(eth.collections.get(collection721)?.name)
    })

    it("gets the price of a token", async () => {
      const { result } = await Moralis.EvmApi.token.getTokenPrice({
        address: token,
        chain: "0x1",
        include: "percent_change"
      })
      const { name, symbol } = eth.tokens.get(token) ?? {}
      expect(result).toMatchObject({ tokenName: name, tokenSymbol: symbol })
      expect(result.usdPrice).toBeGreaterThan(0)
    })

    it("lists the holders of a token", async () => {
      const { result } = await Moralis.EvmApi.token.getTokenOwners({
        tokenAddress: token,
        chain: "0x1",
        limit: 5
      })
      expect(result.map(({ balance, ownerAddress }) => `${ownerAddress.toLowerCase()} ${balance}`))
        .toEqual(eth.holders(token).slice(0, 5).map(({ balance, owner }) => `${owner} ${balance}`))
    })

    it("lists the chains on which a wallet is active", async () => {
      const { result } = await Moralis.EvmApi.wallets.getWalletActiveChains({
        address: wallet,
        chains: ["0x1", "0x89"]
      })
      const active = (["eth", "polygon"] as const).filter((chain) =>
        ledger.chains.get(chain)?.activity(wallet) !== undefined
      )
      expect(result.activeChains.map(({ chain }) => chain)).toEqual(active)
      expect((await requests()).map(({ query }) => query)).toEqual([[["chains[]", "0x1"], [
        "chains[]",
        "0x89"
      ]]])
    })

    it("gets the upstream's error responses", async () => {
      await expect(Moralis.EvmApi.token.getTokenPrice({ address: examples.unpricedToken, chain: "0x1" }))
        .rejects.toThrow(/404|400/)
    })
  })

  describe(`@aptos-labs/ts-sdk, through ${name}`, () => {
    beforeEach(() => Effect.runPromise(proxy.sandbox.clearRecordedRequests))

    it("gets a transaction by its hash", async () => {
      const transaction = await aptos(key).getTransactionByHash({ transactionHash: examples.transaction })
      expect(transaction).toEqual(
        JSON.parse(JSON.stringify(ledger.transactions.mainnet.get(examples.transaction)))
      )
      expect((await requests()).map(({ path }) => path)).toEqual([
        `/transactions/by_hash/${examples.transaction}`
      ])
    })

    it("gets it by its hash without 0x, which the SDK sends as it is", async () => {
      const transactionHash = examples.transaction.slice(2)
      expect(await aptos(key).getTransactionByHash({ transactionHash })).toMatchObject({
        hash: examples.transaction
      })
    })
  })
}

describe("with an unknown token", () => {
  beforeAll(() => useClients([testClient("sdk", key)]))
  afterAll(() => Moralis.Core.config.set("apiKey", key))

  it("moralis fails as with an invalid API key, with the proxy's message", async () => {
    Moralis.Core.config.set("apiKey", "a-key-of-the-service")
    await expect(Moralis.EvmApi.token.getTokenPrice({ address: token, chain: "0x1" }))
      .rejects.toThrow(/^\[C0006\] Request failed, Unauthorized\(401\): unknown token/)
    expect(await requests()).toEqual([])
  })

  it("aptos fails as with an invalid API key, with the proxy's error code", async () => {
    await expect(
      aptos("a-key-of-the-service").getTransactionByHash({ transactionHash: examples.transaction })
    )
      .rejects.toMatchObject({ status: 401, data: { code: "token-unknown" } })
    expect(await requests()).toEqual([])
  })

  it("the log contains neither valid nor unknown tokens", () => {
    const log = proxy.lines.join("\n")
    for (const secret of [key, "a-key-of-the-service"]) expect(log).not.toContain(secret)
  })
})
