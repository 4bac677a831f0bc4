/** Handles `walletTransfers`. */
import { walletTransfers as operation } from "@blockquarry/core/operations/walletTransfers"
import * as Either from "effect/Either"
import { blockRange } from "../BlockRange.ts"
import { countInRange, readPage, sliceByBlock } from "../ReadPage.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"
import { transferRecord } from "../TransferRecords.ts"

export const walletTransfers = operationHandler(operation, (input, context) => {
  const chain = chainOf(context, input.chain)
  const transfers = context.transferFilter.filter(chain, input.address, input.contract_addresses)
  const range = blockRange(chain, input)
  const page = readPage(
    operation,
    input,
    context,
    (pageRequest) => sliceByBlock(transfers, range, input.order ?? "DESC", pageRequest)
  )
  return Either.map(page, ({ cursor, page, records, size }) => ({
    total: String(countInRange(transfers, range)),
    page: String(page),
    page_size: String(size),
    cursor: context.options.walletTransfersCursor ? cursor : undefined,
    result: records.map((transfer) => transferRecord(context.ledger, chain, transfer))
  }))
})
