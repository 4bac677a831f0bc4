import type { ContractNftsInput } from "@blockquarry/core/Inputs"
import type { Nft } from "@blockquarry/core/model/Nft"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import { contractNfts as operation } from "@blockquarry/core/operations/contractNfts"
import type { CollectionPage } from "@blockquarry/core/Page"
import type { ListOperationFunction } from "@blockquarry/http/ApiClient"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { UsageError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { readsSeveralPages } from "../list/ListOptions.ts"
import { listCommand } from "./ListCommand.ts"
import { isSpam, nftColumns } from "./nfts.ts"
import { pageNote, waitBeforeList, waitOption } from "./WaitForSync.ts"

/** More subranges are not faster but take longer to start. */
const maxSubranges = 1000

/** Limit of concurrent subranges, to stay below the upstream's abuse protection. */
const maxParallelRanges = 8

/** Returns the number of subranges to read in parallel; null to read a single list. */
const subrangeCount = (
  { range, totalRanges }: ContractNftsInput,
  invocation: CommandInvocation
): number | null =>
  // A cursor belongs to a single list
  totalRanges === undefined || range !== undefined || invocation.values.has("cursor") ||
    !readsSeveralPages(invocation)
    ? null
    : totalRanges

/** Reads all subranges in parallel. An empty page with a null cursor ends the list, which cannot be resumed before. */
const parallelRanges = (
  operation: ListOperationFunction<ContractNftsInput, CollectionPage<Nft>, Nft>,
  encoded: ContractNftsInput,
  totalRanges: number
): Stream.Stream<CollectionPage<Nft>, ListOperationError> =>
  Stream.mergeAll(
    Arr.makeBy(totalRanges, (index) => operation.pages({ ...encoded, totalRanges, range: index + 1 })),
    { concurrency: maxParallelRanges }
  ).pipe(
    Stream.map(({ result, status }): CollectionPage<Nft> => ({ ...unknownPosition, status, result })),
    Stream.concat(Stream.make({ ...unknownPosition, status: null, cursor: null, result: [] }))
  )

/** The place in the list of a page of a subrange. */
const unknownPosition = { total: null, page: null, page_size: null }

export const contractNfts = listCommand({
  path: ["nft", "list"],
  operation,
  recordName: "NFTs",
  columns: nftColumns,
  isDimmed: isSpam,
  options: [waitOption],
  // The upstream requires `range` with `totalRanges`
  beforeFirstPage: (operation, encoded, invocation) =>
    waitBeforeList(
      operation,
      subrangeCount(encoded, invocation) === null ? encoded : { ...encoded, range: 1 },
      invocation
    ),
  pageNote,
  note:
    `With --all or --max-items, --total-ranges <n> reads n subranges (1 to ${maxSubranges}) in parallel, at most ` +
    `${maxParallelRanges} at a time. Each NFT is returned once, in no particular order. ` +
    "--range <i> reads a single subrange.",
  validate: (encoded, invocation) =>
    (subrangeCount(encoded, invocation) ?? 0) <= maxSubranges
      ? Either.void
      : Either.left(
        new UsageError({
          reason: `--total-ranges: expected at most ${maxSubranges} without --range`,
          hint: null
        })
      ),
  alternativePages: (operation, encoded, invocation) => {
    const totalRanges = subrangeCount(encoded, invocation)
    return totalRanges === null ? null : parallelRanges(operation, encoded, totalRanges)
  },
  examples: [
    "{collection} --chain eth --limit 20",
    "{collection} --normalize-metadata --all -o ndjson",
    "{collection} --total-ranges 4 --all -o ndjson",
    "{unindexed} --wait"
  ]
})
