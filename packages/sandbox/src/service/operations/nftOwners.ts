/** Handles `nftOwners`, ordered by owner address. */
import { nftOwners as operation } from "@blockquarry/core/operations/nftOwners"
import * as Effect from "effect/Effect"
import { collectionDocument, findNft, rarityOf, readCollection, validateFormat } from "../Collections.ts"
import { ownedRecord, rarityFields } from "../NftRecords.ts"
import { readPage, sliceByKey } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"

export const nftOwners = chainHandler(
  operation,
  Effect.fnUntraced(function*(input, chain, context) {
    yield* validateFormat(input)
    const { all, collection, sync } = yield* readCollection(context, chain, input.address)
    const nft = findNft(all, input.token_id)
    const owners = [...nft?.owners ?? []].sort((a, b) => a.owner < b.owner ? -1 : 1)
    const slice = sliceByKey(owners, ({ owner }) => [owner], ({ owner }, [last = ""]) => owner > last)
    const page = yield* readPage(operation, input, context, slice)
    return collectionDocument(
      page,
      sync,
      (ownership) =>
        collection === undefined || nft === undefined ? null : {
          ...ownedRecord(chain, collection, nft, ownership, input),
          ...rarityFields(rarityOf(context, all, nft))
        }
    )
  })
)
