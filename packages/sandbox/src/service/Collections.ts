/** Access to NFT collections, which may not be indexed yet. */
import type { Address } from "@blockquarry/core/Address"
import * as Effect from "effect/Effect"
import type { ChainLedger, NftState } from "../Ledger.ts"
import { firstIndex } from "../ledger/Sequences.ts"
import { type ApiError, badRequest } from "./ApiError.ts"
import { digest } from "./Digest.ts"
import type { JsonDocument } from "./HttpMessage.ts"
import type { NftRecordOptions, Rarity } from "./NftRecords.ts"
import { listDocument, type SandboxPage } from "./ReadPage.ts"
import type { SandboxContext } from "./SandboxContext.ts"
import type { IndexingState } from "./SandboxState.ts"

/** Returns a collection, its NFTs and its indexing state. Counts as a request for the collection. */
export const readCollection = Effect.fnUntraced(function*(
  { state }: SandboxContext,
  chain: ChainLedger,
  address: Address
) {
  const collection = chain.collections.get(address)
  if (collection === undefined) return { collection, all: [], sync: "synced" as const }
  return { collection, all: chain.nfts(address), sync: yield* state.recordRead(chain.name, collection) }
})

/** Creates the document of a page: during indexing at first without records, then with half of them, never with a cursor. */
export const collectionDocument = <A>(
  page: SandboxPage<A>,
  sync: IndexingState,
  encode: (record: A) => JsonDocument
): JsonDocument => {
  const available = sync === "starting" ? 0 : Math.ceil(page.records.length / 2)
  return sync === "synced"
    ? { status: "SYNCED", ...listDocument(page, encode) }
    : {
      status: "SYNCING",
      ...listDocument({ ...page, cursor: null, records: page.records.slice(0, available) }, encode)
    }
}

/** Rejects unknown formats of token IDs. */
export const validateFormat = ({ format }: NftRecordOptions): Effect.Effect<void, ApiError> =>
  format === undefined || format === "decimal" || format === "hex"
    ? Effect.void
    : Effect.fail(badRequest("format must be one of the following values: decimal, hex"))

/** Finds an NFT by ID in a list ordered by ID. */
export const findNft = (nfts: ReadonlyArray<NftState>, tokenId: bigint): NftState | undefined => {
  const found = nfts[indexOf(nfts, tokenId)]
  return found?.tokenId === tokenId ? found : undefined
}

const indexOf = (nfts: ReadonlyArray<NftState>, tokenId: bigint): number =>
  firstIndex(nfts.length, (index) => (nfts[index]?.tokenId ?? tokenId) >= tokenId)

/** Returns the rarity of an NFT. Only one collection has ranks: each rank once, in an order unrelated to the IDs. */
export const rarityOf = (
  context: SandboxContext,
  nfts: ReadonlyArray<NftState>,
  nft: NftState
): Rarity | undefined => {
  if (nft.collection !== context.ledger.examples.collection721) return undefined
  const step = coprime(nfts.length, Number.parseInt(digest("rarity", nft.collection).slice(0, 6), 16))
  return { rank: (indexOf(nfts, nft.tokenId) * step) % nfts.length + 1, of: nfts.length }
}

/** Returns the first number from `candidate` that is coprime to `length`. */
const coprime = (length: number, candidate: number): number =>
  gcd(candidate, length) === 1 ? candidate : coprime(length, candidate + 1)

const gcd = (a: number, b: number): number => b === 0 ? a : gcd(b, a % b)
