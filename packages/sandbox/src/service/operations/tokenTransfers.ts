/** Handles `tokenTransfers`. */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import * as Either from "effect/Either"
import { blockRange } from "../BlockRange.ts"
import { encodeRecords, listEnvelope } from "../Envelope.ts"
import { readPage, sliceByBlock } from "../ReadPage.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"
import { transferRecord } from "../TransferRecords.ts"

export const tokenTransfers = operationHandler(operation, (input, context) => {
  const chain = chainOf(context, input.chain)
  const transfers = chain.tokenTransfers(input.address)
  const page = readPage(
    operation,
    input,
    context,
    (pageRequest) => sliceByBlock(transfers, blockRange(chain, input), input.order ?? "DESC", pageRequest)
  )
  return Either.map(
    page,
    (page) => listEnvelope(encodeRecords(page, (transfer) => transferRecord(context.ledger, chain, transfer)))
  )
})
