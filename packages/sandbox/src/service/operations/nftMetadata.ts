/** Metadata of one NFT. */
import { nftMetadata as operation } from "@blockquarry/core/operations/nftMetadata"
import * as Effect from "effect/Effect"
import { notFound } from "../ApiError.ts"
import { findNft, rarityOf, readCollection } from "../Collections.ts"
import { nftRecord } from "../NftRecords.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"

export const nftMetadata = operationHandler(
  operation,
  Effect.fnUntraced(function*(input, context) {
    const chain = chainOf(context, input.chain)
    const { collection, sync } = yield* readCollection(context, chain, input.address)
    if (collection === undefined) return yield* notFound("No NFT contract was found at this address")
    // A collection that is being indexed has been seen to answer both ways: not found, then nothing
    if (sync === "starting") return yield* notFound("The metadata of this NFT is not indexed yet")
    const all = sync === "synced" ? chain.nfts(collection.address) : []
    const nft = findNft(all, input.token_id)
    return nft === undefined ? null : nftRecord(chain, collection, nft, rarityOf(context, all, nft), input)
  })
)
