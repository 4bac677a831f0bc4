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
  readonly list: boolean
  readonly call: (clients: Clients) => Effect.Effect<unknown, OperationError>
  /** A valid response document. */
  readonly document: unknown
}

const getExample = (id: string, list: boolean, call: Example["call"], document: unknown): Example => ({
  id,
  method: "GET",
  list,
  call,
  document
})

export const tokenPrice: Example = getExample(
  "tokenPrice",
  false,
  ({ data }) => data.tokenPrice({ address }),
  { usdPrice: 1.5 }
)

export const updateStreamStatus: Example = {
  id: "updateStreamStatus",
  method: "POST",
  list: false,
  call: ({ streams }) => streams.updateStreamStatus({ id: "stream-1", status: "paused" }),
  document: { id: "stream-1", status: "paused" }
}

/** All operations. */
export const examples: ReadonlyArray<Example> = [
  getExample("walletTransfers", true, ({ data }) => data.walletTransfers({ address }), page(transfer)),
  getExample("tokenTransfers", true, ({ data }) => data.tokenTransfers({ address }), page(transfer)),
  getExample("contractNfts", true, ({ data }) => data.contractNfts({ address }), page(nft)),
  getExample("nftOwners", true, ({ data }) => data.nftOwners({ address, token_id: "9" }), page(nft)),
  getExample(
    "walletNftTrades",
    true,
    ({ data }) => data.walletNftTrades({ address }),
    page({ transaction_hash: hash, block_number: "7" })
  ),
  getExample(
    "tokenOwners",
    true,
    ({ data }) => data.tokenOwners({ token_address: address }),
    page({ owner_address: address, balance: "1" })
  ),
  getExample("nftMetadata", false, ({ data }) => data.nftMetadata({ address, token_id: "9" }), nft),
  tokenPrice,
  getExample("walletChains", false, ({ data }) => data.walletChains({ address }), {
    address,
    active_chains: []
  }),
  updateStreamStatus,
  getExample(
    "ledgerTransaction",
    false,
    ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash }),
    { hash, sender: "0x1" }
  )
]
