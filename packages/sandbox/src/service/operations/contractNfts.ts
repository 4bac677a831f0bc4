/** Handles `contractNfts`, ordered by token ID. */
import { contractNfts as operation } from "@blockquarry/core/operations/contractNfts"
import * as Effect from "effect/Effect"
import type { NftState } from "../../Ledger.ts"
import { type ApiError, badRequest } from "../ApiError.ts"
import { partialWhileIndexing, rarityOf, readCollection, syncStatus, validateFormat } from "../Collections.ts"
import { encodeRecords, listEnvelope } from "../Envelope.ts"
import { nftRecord } from "../NftRecords.ts"
import { readPage, sliceByKey } from "../ReadPage.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"

const defaultSize = 100

export const contractNfts = operationHandler(
  operation,
  Effect.fnUntraced(function*(input, context) {
    yield* validateFormat(input)
    const isInSubrange = yield* subrangeFilter(input)
    const chain = chainOf(context, input.chain)
    const { collection, sync } = yield* readCollection(context, chain, input.address)
    const all = collection === undefined ? [] : chain.nfts(collection.address)
    const page = yield* readPage(
      operation,
      input,
      context,
      (pageRequest) =>
        sliceByKey(
          all.filter(isInSubrange),
          pageRequest,
          ({ tokenId }) => [String(tokenId)],
          ({ tokenId }, [last = "0"]) => tokenId > BigInt(last)
        ),
      defaultSize
    )
    const records = collection === undefined
      ? encodeRecords(page, () => null)
      : encodeRecords(
        partialWhileIndexing(page, sync),
        (nft) => nftRecord(chain, collection, nft, rarityOf(context, all, nft), input)
      )
    return { status: syncStatus(sync), ...listEnvelope(records) }
  })
)

/** Assigns NFTs to subranges by ID, so that mints do not change the subrange of other NFTs. */
const subrangeFilter = (
  { range, totalRanges }: { readonly range?: number; readonly totalRanges?: number }
): Effect.Effect<(nft: NftState) => boolean, ApiError> => {
  if (range === undefined && totalRanges === undefined) return Effect.succeed(() => true)
  if (range === undefined || totalRanges === undefined) {
    return Effect.fail(badRequest("totalRanges and range must be set together"))
  }
  if (range < 1 || range > totalRanges) {
    return Effect.fail(badRequest(`range must be between 1 and totalRanges (${totalRanges})`))
  }
  return Effect.succeed(({ tokenId }) => tokenId % BigInt(totalRanges) === BigInt(range - 1))
}
