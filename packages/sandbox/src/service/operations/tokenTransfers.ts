/** Handles `tokenTransfers`. */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import * as Either from "effect/Either"
import { blockRange } from "../BlockRange.ts"
import { listDocument, readPage, sliceByBlock } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"
import { transferRecord } from "../TransferRecords.ts"

export const tokenTransfers = chainHandler(operation, (input, chain, context) => {
  const slice = sliceByBlock(chain.tokenTransfers(input.address), blockRange(chain, input), input.order)
  return Either.map(
    readPage(operation, input, context, slice),
    (page) => listDocument(page, (transfer) => transferRecord(context.ledger, chain, transfer))
  )
})
