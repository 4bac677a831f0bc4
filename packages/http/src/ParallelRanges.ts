/** Reads the NFTs of a contract from several subranges in parallel. */
import type { ContractNftsInput } from "@blockquarry/core/Inputs"
import type { Nft } from "@blockquarry/core/model/Nft"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import * as Arr from "effect/Array"
import * as Stream from "effect/Stream"
import type { DataApiService } from "./DataApi.ts"

/** Options of `contractNfts`. */
export interface ParallelRangesOptions {
  /** Number of subranges that the list is split into. */
  readonly totalRanges: number
  /** Maximum number of subranges that are read at the same time. Default: all of them. */
  readonly concurrency?: number | undefined
  /** Number of the first subrange. Default: 1. */
  readonly firstRange?: number | undefined
}

/**
 * Streams every NFT of a contract once, from several subranges in parallel. Records of different subranges are
 * interleaved.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { contractNfts } from "@blockquarry/http/ParallelRanges"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const count = Effect.flatMap(DataApi, (data) =>
 *   Stream.runCount(contractNfts(data, { address: "0x…" }, { totalRanges: 4 })))
 */
export const contractNfts = (
  data: Pick<DataApiService, "contractNfts">,
  input: Omit<ContractNftsInput, "totalRanges" | "range" | "cursor">,
  options: ParallelRangesOptions
): Stream.Stream<Nft, ListOperationError> => {
  const { concurrency, firstRange = 1, totalRanges } = options
  const ranges = Arr.makeBy(
    // An invalid number fails as an input of the first call.
    Number.isInteger(totalRanges) ? totalRanges : 1,
    (index) => data.contractNfts.items({ ...input, totalRanges, range: firstRange + index })
  )
  return Stream.mergeAll(ranges, { concurrency: concurrency ?? ranges.length })
}
