/** `quarry nft list` */
import type { Nft } from "@blockquarry/core/model/Nft"
import {
  contractNfts as operation,
  type ContractNftsInput,
  type ContractNftsPage
} from "@blockquarry/core/operations/contractNfts"
import type { WalkError } from "@blockquarry/core/QueryError"
import type { AskList } from "@blockquarry/http/Client"
import * as SideBySide from "@blockquarry/http/SideBySide"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { Usage } from "../Failure.ts"
import type { Call } from "../line/Entry.ts"
import { isWalk, listCommand } from "../ListCommand.ts"
import { beforeList, remark, waitOption } from "../Syncing.ts"
import { nftColumns } from "./nfts.ts"

/** More subranges than this are no faster, only longer to begin. */
const mostRanges = 1000

/** How many subranges are read at the same time: more would be taken for an attack. */
const atOnce = 8

/** Into how many subranges the whole list is to be split; null where one list is read as it is. */
const split = ({ cursor, range, totalRanges }: ContractNftsInput, call: Call): number | null =>
  // A cursor continues one list
  totalRanges === undefined || range !== undefined || cursor !== undefined || !isWalk(call)
    ? null
    : totalRanges

/** Every subrange to its end. What a page holds does not end the list; the last page, which is empty, does. */
const sideBySide = (
  ask: AskList<ContractNftsInput, ContractNftsPage, Nft>,
  written: ContractNftsInput,
  totalRanges: number
): Stream.Stream<ContractNftsPage, WalkError> =>
  Stream.suspend(() => {
    const whole = { total: null, page: null, page_size: null }
    let status: ContractNftsPage["status"] = null
    // Records say nothing of the collection that they are from
    const watched = Object.assign((input: ContractNftsInput) => ask(input), {
      pages: ask.pages,
      items: (input: ContractNftsInput) =>
        ask.pages(input).pipe(
          Stream.tap((page) => Effect.sync(() => (status = status ?? page.status))),
          Stream.mapConcatChunk(({ result }) => Chunk.unsafeFromArray(result))
        )
    })
    return SideBySide.contractNfts({ contractNfts: watched }, written, { totalRanges, concurrency: atOnce })
      .pipe(
        Stream.chunks,
        Stream.map((records): ContractNftsPage => ({
          ...whole,
          status,
          result: Chunk.toReadonlyArray(records)
        })),
        Stream.concat(Stream.sync((): ContractNftsPage => ({ ...whole, status, cursor: null, result: [] })))
      )
  })

export const contractNfts = listCommand({
  words: ["nft", "list"],
  operation,
  client: ({ data }) => data.contractNfts,
  noun: "NFTs",
  columns: nftColumns,
  options: [waitOption],
  // The service takes the number of subranges together with one of them only
  before: (ask, written, call) =>
    beforeList(ask, split(written, call) === null ? written : { ...written, range: 1 }, call),
  remark,
  note:
    `With --all or --max-items, --total-ranges <n> reads the n subranges side by side, up to ${atOnce} at ` +
    "once: every NFT once, in no order. With --range <i> it reads only that one.",
  check: (written, call) =>
    (split(written, call) ?? 0) <= mostRanges
      ? Either.void
      : Either.left(
        new Usage({ problem: `--total-ranges: expected at most ${mostRanges} without --range`, hint: null })
      ),
  instead: (ask, written, call) => {
    const totalRanges = split(written, call)
    return totalRanges === null ? null : sideBySide(ask, written, totalRanges)
  },
  examples: [
    "{collection} --chain eth --limit 20",
    "{collection} --normalize-metadata --all -o ndjson",
    "{collection} --total-ranges 4 --all -o ndjson",
    "{unindexed} --wait"
  ]
})
