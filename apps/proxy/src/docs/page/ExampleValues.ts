/** Example inputs of the operations: from the sandbox's ledger, or from Ethereum. */
import type { LedgerExamples } from "@blockquarry/sandbox/Ledger"

/** Values by operation id and parameter name. */
export type ExampleValues = Readonly<Record<string, Readonly<Record<string, string>>>>

type ExampleIds = {
  readonly [Name in "wallet" | "token" | "collection721" | "tokenId721" | "stream" | "transaction"]:
    | string
    | undefined
}

/** Well-known values of Ethereum. Streams have none, because they belong to an account. */
const ethereumExamples: ExampleIds = {
  wallet: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  token: "0xdac17f958d2ee523a2206206994597c13d831ec7",
  collection721: "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d",
  tokenId721: "1",
  stream: undefined,
  transaction: undefined
}

export const make = (examples: LedgerExamples | undefined): ExampleValues => {
  const { collection721, stream, token, tokenId721, transaction, wallet }: ExampleIds = examples === undefined
    ? ethereumExamples
    : { ...examples, tokenId721: String(examples.tokenId721) }
  const chain = { chain: "eth" }
  const page = { ...chain, limit: "3" }
  return Object.fromEntries(
    Object.entries({
      walletTransfers: { address: wallet, ...page },
      tokenTransfers: { address: token, ...page },
      contractNfts: { address: collection721, ...page },
      nftOwners: { address: collection721, token_id: tokenId721, ...page },
      walletNftTrades: { address: wallet, ...page },
      tokenOwners: { token_address: token, ...page },
      nftMetadata: { address: collection721, token_id: tokenId721, ...chain },
      tokenPrice: { address: token, ...chain, include: "percent_change" },
      updateStreamStatus: { id: stream, status: "paused" },
      ledgerTransaction: { txn_hash: transaction },
      walletChains: { address: wallet }
    }).map(([id, values]) => [id, withoutUnknown(values)])
  )
}

const withoutUnknown = (
  values: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  )
