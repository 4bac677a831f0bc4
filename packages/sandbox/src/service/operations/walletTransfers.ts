/** Handles `walletTransfers`. */
import { walletTransfers as operation } from "@blockquarry/core/operations/walletTransfers"
import * as Either from "effect/Either"
import { blockRange } from "../BlockRange.ts"
import { countInRange, listDocument, readPage, sliceByBlock } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"
import { transferRecord } from "../TransferRecords.ts"

export const walletTransfers = chainHandler(operation, (input, chain, context) => {
  const transfers = chain.walletTransfers(input.address, input.contract_addresses)
  const range = blockRange(chain, input)
  const slice = sliceByBlock(transfers, range, input.order)
  return Either.map(readPage(operation, input, context, slice), (page) => {
    const document = listDocument(page, (transfer) => transferRecord(context.ledger, chain, transfer))
    return {
      total: String(countInRange(transfers, range)),
      ...document,
      cursor: context.options.walletTransfersCursor ? document.cursor : undefined
    }
  })
})
