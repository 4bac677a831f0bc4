/** Handles `nftMetadata`. */
import { nftMetadata as operation } from "@blockquarry/core/operations/nftMetadata"
import * as Effect from "effect/Effect"
import { notFound } from "../ApiError.ts"
import { findNft, rarityOf, readCollection } from "../Collections.ts"
import { nftRecord } from "../NftRecords.ts"
import { chainHandler } from "../SandboxContext.ts"

export const nftMetadata = chainHandler(
  operation,
  Effect.fnUntraced(function*(input, chain, context) {
    const { all, collection, sync } = yield* readCollection(context, chain, input.address)
    if (collection === undefined) return yield* notFound("NFT contract not found")
    // During indexing, upstreams return 404 first and null later
    if (sync === "starting") return yield* notFound("NFT metadata not indexed yet")
    const nft = sync === "synced" ? findNft(all, input.token_id) : undefined
    return nft === undefined ? null : nftRecord(chain, collection, nft, rarityOf(context, all, nft), input)
  })
)
