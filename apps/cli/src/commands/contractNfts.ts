/** `quarry nft list` */
import type { Nft } from "@blockquarry/core/model/Nft"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import {
  contractNfts as operation,
  type ContractNftsInput,
  type ContractNftsPage
} from "@blockquarry/core/operations/contractNfts"
import type { ListOperationFunction } from "@blockquarry/http/ApiClient"
import * as ParallelRanges from "@blockquarry/http/ParallelRanges"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { CommandInvocation } from "../args/CommandSpec.ts"
import { UsageError } from "../CommandError.ts"
import { listCommand, readsSeveralPages } from "../ListCommand.ts"
import { pageNote, waitBeforeList, waitOption } from "../WaitForSync.ts"
import { nftColumns } from "./nfts.ts"

/** More subranges than this are no faster, only longer to begin. */
const maxSubranges = 1000

/** How many subranges are read at the same time: more would be taken for an attack. */
const maxParallelRanges = 8

/** Into how many subranges the whole list is to be split; null where one list is read as it is. */
const subrangeCount = (
  { cursor, range, totalRanges }: ContractNftsInput,
  invocation: CommandInvocation
): number | null =>
  // A cursor continues one list
  totalRanges === undefined || range !== undefined || cursor !== undefined || !readsSeveralPages(invocation)
    ? null
    : totalRanges

/** Every subrange to its end. What a page holds does not end the list; the last page, which is empty, does. */
const parallelRanges = (
  operation: ListOperationFunction<ContractNftsInput, ContractNftsPage, Nft>,
  encoded: ContractNftsInput,
  totalRanges: number
): Stream.Stream<ContractNftsPage, ListOperationError> =>
  Stream.suspend(() => {
    const pageFields = { total: null, page: null, page_size: null }
    let status: ContractNftsPage["status"] = null
    // Records say nothing of the collection that they are from
    const observed = Object.assign((input: ContractNftsInput) => operation(input), {
      pages: operation.pages,
      items: (input: ContractNftsInput) =>
        operation.pages(input).pipe(
          Stream.tap((page) => Effect.sync(() => (status = status ?? page.status))),
          Stream.mapConcatChunk(({ result }) => Chunk.unsafeFromArray(result))
        )
    })
    return ParallelRanges.contractNfts({ contractNfts: observed }, encoded, {
      totalRanges,
      concurrency: maxParallelRanges
    })
      .pipe(
        Stream.chunks,
        Stream.map((records): ContractNftsPage => ({
          ...pageFields,
          status,
          result: Chunk.toReadonlyArray(records)
        })),
        Stream.concat(
          Stream.sync((): ContractNftsPage => ({ ...pageFields, status, cursor: null, result: [] }))
        )
      )
  })

export const contractNfts = listCommand({
  path: ["nft", "list"],
  operation,
  selectClient: ({ data }) => data.contractNfts,
  recordName: "NFTs",
  columns: nftColumns,
  options: [waitOption],
  // The service takes the number of subranges together with one of them only
  beforeFirstPage: (operation, encoded, invocation) =>
    waitBeforeList(
      operation,
      subrangeCount(encoded, invocation) === null ? encoded : { ...encoded, range: 1 },
      invocation
    ),
  pageNote,
  note:
    `With --all or --max-items, --total-ranges <n> reads the n subranges side by side, up to ${maxParallelRanges} at ` +
    "once: every NFT once, in no order. With --range <i> it reads only that one.",
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
