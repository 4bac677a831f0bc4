/** Handles `walletChains`. */
import { chainId, evmChains } from "@blockquarry/core/Chain"
import { walletChains as operation } from "@blockquarry/core/operations/walletChains"
import * as Effect from "effect/Effect"
import type { ChainLedger, WalletActivity } from "../../Ledger.ts"
import { badRequest } from "../ApiError.ts"
import { blockTimestamp } from "../BlockRange.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"

export const walletChains = operationHandler(operation, (input, context) => {
  const unknown = input.chains?.find((requested) => !evmChains.some((name) => name === requested))
  if (unknown !== undefined) {
    return Effect.fail(
      badRequest(`chains must be a valid enum value, one of ${evmChains.join(", ")}, got "${unknown}"`)
    )
  }
  const requestedChains = evmChains.filter((name) => input.chains?.includes(name) ?? true)
  return Effect.succeed({
    address: input.address,
    active_chains: requestedChains.flatMap((name) => {
      const chain = chainOf(context, name)
      const activity = chain.activity(input.address)
      return activity === undefined ? [] : [{
        chain: name,
        chain_id: chainId(name),
        first_transaction: transactionRecord(chain, activity.first),
        last_transaction: transactionRecord(chain, activity.last)
      }]
    })
  })
})

const transactionRecord = (
  chain: ChainLedger,
  { block, transaction }: WalletActivity["first"]
): JsonDocument => ({
  block_number: String(block),
  block_timestamp: blockTimestamp(chain, block),
  transaction_hash: transaction
})
