/** One request for each operation. */
import type { allOperations } from "@blockquarry/core/Operations"
import { examples } from "./proxy.ts"

export interface SampleRequest {
  readonly path: string
  readonly body?: string
}

const data = "/api/v2.2"
const {
  busyToken,
  collection1155,
  collection721,
  stream,
  token,
  tokenId1155,
  tokenId721,
  transaction,
  wallet
} = examples

export const sampleRequests: { readonly [Id in typeof allOperations[number]["id"]]: SampleRequest } & {
  readonly [id: string]: SampleRequest
} = {
  walletTransfers: { path: `${data}/${wallet}/erc20/transfers?chain=eth&limit=3&order=ASC` },
  tokenTransfers: { path: `${data}/erc20/${busyToken}/transfers?chain=eth&limit=5` },
  contractNfts: { path: `${data}/nft/${collection721}?chain=eth&limit=4&normalizeMetadata=true` },
  nftOwners: { path: `${data}/nft/${collection1155}/${tokenId1155}/owners?chain=eth` },
  walletNftTrades: { path: `${data}/wallets/${wallet}/nfts/trades?chain=eth` },
  tokenOwners: { path: `${data}/erc20/${token}/owners?chain=eth&limit=10` },
  nftMetadata: { path: `${data}/nft/${collection721}/${tokenId721}?chain=eth&media_items=true` },
  tokenPrice: { path: `${data}/erc20/${token}/price?chain=eth&include=percent_change` },
  updateStreamStatus: { path: `/streams/evm/${stream}/status`, body: `{"status":"paused"}` },
  ledgerTransaction: { path: `/transactions/by_hash/${transaction}` },
  walletChains: { path: `${data}/wallets/${wallet}/chains?chains[]=eth&chains[]=polygon` }
}
