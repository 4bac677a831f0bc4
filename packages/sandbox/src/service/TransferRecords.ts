/** Transfer records of responses. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainLedger, Ledger, TokenTransfer } from "../Ledger.ts"
import { blockTimestamp } from "./BlockRange.ts"
import type { JsonDocument } from "./HttpMessage.ts"

/** Creates the record of an ERC20 transfer. `value` is an integer with all digits. */
export const transferRecord = (ledger: Ledger, chain: ChainLedger, transfer: TokenTransfer): JsonDocument => {
  const token = chain.tokens.get(transfer.token)
  return {
    token_name: token?.name ?? null,
    token_symbol: token?.symbol ?? null,
    token_logo: token?.logo ?? null,
    token_decimals: token === undefined ? null : String(token.decimals),
    transaction_hash: transfer.transaction,
    address: transfer.token,
    block_timestamp: blockTimestamp(chain, transfer.block),
    block_number: transfer.block,
    block_hash: chain.block(transfer.block)?.hash ?? null,
    ...partyFields("to_address", ledger, transfer.to),
    ...partyFields("from_address", ledger, transfer.from),
    value: transfer.value,
    transaction_index: transfer.transactionIndex,
    log_index: transfer.logIndex,
    possible_spam: token?.possibleSpam ?? false,
    verified_collection: token?.verified ?? false
  }
}

const partyFields = (side: "from_address" | "to_address", ledger: Ledger, address: Address) => {
  const wallet = ledger.wallets.get(address)
  return {
    [side]: address,
    [`${side}_entity`]: wallet?.entity ?? null,
    [`${side}_entity_logo`]: wallet?.entityLogo ?? null,
    [`${side}_label`]: wallet?.label ?? null
  }
}
