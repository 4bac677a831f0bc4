/** An input and a response for every operation. */
import type { OperationError } from "@blockquarry/core/OperationError"
import type * as Effect from "effect/Effect"
import type { Clients } from "./TestClients.ts"

export const address = `0x${"ab".repeat(20)}`
export const contract = `0x${"cd".repeat(20)}`
export const hash = `0x${"12".repeat(32)}`

const transfer = { transaction_hash: hash, block_number: 7, log_index: 1, value: "5" }
export const nft = { token_address: contract, token_id: "9" }
const page = (item: unknown) => ({ page: 0, page_size: 100, cursor: null, result: [item] })

export interface Example {
  readonly id: string
  readonly method: "GET" | "POST"
  readonly call: (clients: Clients) => Effect.Effect<unknown, OperationError>
  /** A valid response document. */
  readonly document: unknown
}

const getExample = (id: string, call: Example["call"], document: unknown): Example => ({
  id,
  method: "GET",
  call,
  document
})

export const tokenPrice: Example = getExample(
  "tokenPrice",
  ({ data }) => data.tokenPrice({ address }),
  { usdPrice: 1.5 }
)

export const updateStreamStatus: Example = {
  id: "updateStreamStatus",
  method: "POST",
  call: ({ streams }) => streams.updateStreamStatus({ id: "stream-1", status: "paused" }),
  document: { id: "stream-1", status: "paused" }
}

/** All operations. */
export const examples: ReadonlyArray<Example> = [
  getExample("walletTransfers", ({ data }) => data.walletTransfers({ address }), page(transfer)),
  getExample("tokenTransfers", ({ data }) => data.tokenTransfers({ address }), page(transfer)),
  getExample("contractNfts", ({ data }) => data.contractNfts({ address }), page(nft)),
  getExample("nftOwners", ({ data }) => data.nftOwners({ address, token_id: "9" }), page(nft)),
  getExample(
    "walletNftTrades",
    ({ data }) => data.walletNftTrades({ address }),
    page({ transaction_hash: hash, block_number: "7" })
  ),
  getExample(
    "tokenOwners",
    ({ data }) => data.tokenOwners({ token_address: address }),
    page({ owner_address: address, balance: "1" })
  ),
  getExample("nftMetadata", ({ data }) => data.nftMetadata({ address, token_id: "9" }), nft),
  tokenPrice,
  getExample("walletChains", ({ data }) => data.walletChains({ address }), {
    address,
    active_chains: []
  }),
  updateStreamStatus,
  getExample(
    "ledgerTransaction",
    ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash }),
    { hash, sender: "0x1" }
  )
]
