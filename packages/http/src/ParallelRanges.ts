/**
 * NFTs of a contract in subranges, walked side by side.
 *
 * @since 0.1.0
 */
import type { Nft } from "@blockquarry/core/model/Nft"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import type { ContractNftsInput } from "@blockquarry/core/operations/contractNfts"
import * as Arr from "effect/Array"
import * as Stream from "effect/Stream"
import type { DataApiService } from "./DataApi.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ParallelRangesOptions {
  /** Into how many subranges the list is split. */
  readonly totalRanges: number
  /** How many are walked at the same time; all of them where nothing is said. */
  readonly concurrency?: number | undefined
  /** The number of the first subrange: 1 where nothing is said. */
  readonly firstRange?: number | undefined
}

/**
 * Every NFT of a contract, from several subranges at once. Records of different subranges come interleaved; each
 * comes once.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { contractNfts } from "@blockquarry/http/SideBySide"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const count = Effect.flatMap(DataApi, (data) =>
 *   Stream.runCount(contractNfts(data, { address: "0x…" }, { totalRanges: 4 })))
 *
 * @since 0.1.0
 * @category streams
 */
export const contractNfts = (
  data: Pick<DataApiService, "contractNfts">,
  input: Omit<ContractNftsInput, "totalRanges" | "range" | "cursor">,
  options: ParallelRangesOptions
): Stream.Stream<Nft, ListOperationError> => {
  const { concurrency, firstRange = 1, totalRanges } = options
  return Stream.mergeAll(
    Arr.makeBy(
      totalRanges,
      (index) => data.contractNfts.items({ ...input, totalRanges, range: firstRange + index })
    ),
    { concurrency: concurrency ?? totalRanges }
  )
}
