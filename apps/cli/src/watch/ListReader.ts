/** Reads the records of a list from a block or time on, oldest first. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import { serviceOf } from "../connection/Connection.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { canonicalInput, type ListQuery } from "../export/ExportQuery.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { RecordList } from "../list/RecordList.ts"
import { memoise, type PageRecords, type RecordSource } from "../list/RecordSource.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import type { PollStart, WatchableRecord } from "./WatchPosition.ts"

export interface ListReader<out Item> {
  readonly query: ListQuery
  /** Describes the list. */
  readonly source: RecordSource<Item>
  readonly pages: (from: PollStart) => Stream.Stream<PageRecords<Item>, CommandError>
  /** Returns the start of the last blocks of the list. */
  readonly lastBlocks: (count: number) => Effect.Effect<PollStart, CommandError>
}

/** Bounds the memory for the records that one poll of a list without order returns. */
const maxUnordered = 100_000

const listValues = (from: PollStart, hasOrder: boolean): ArgumentValues =>
  new Map([
    ["all", ["true"]],
    ...(hasOrder ? [["order", ["asc"]] as const] : []),
    ...(from._tag === "Block"
      ? [["from-block", [String(from.block)]] as const]
      : from._tag === "Time"
      ? [["from-date", [from.time]] as const]
      : [])
  ])

export const listReader = <Item extends WatchableRecord>(
  { operation, sourceOf }: RecordList<Item>,
  invocation: CommandInvocation
): Effect.Effect<ListReader<Item>, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<ApiClients | CommandTerminal>()
    const hasOrder = operation.parameters.some(({ name }) => name === "order")
    // A watch has its own meaning of `max-items`
    const shared = [...invocation.values].filter(([name]) => name !== "max-items")
    const source = (own: ArgumentValues): Effect.Effect<RecordSource<Item>, CommandError> =>
      Effect.provide(
        sourceOf({ ...invocation, values: new Map([...shared, ...own]) }),
        context
      )
    const whole = yield* source(new Map())
    return {
      source: whole,
      query: {
        operation: operation.id,
        input: canonicalInput(whole.input),
        sandbox: invocation.settings.isSandbox,
        ...serviceOf(operation, invocation)
      },
      pages: (from) => {
        const pages = Stream.unwrap(
          Effect.map(source(listValues(from, hasOrder)), (source) => source.pages())
        )
        return hasOrder ? pages : Stream.fromEffect(sortedPage(pages))
      },
      lastBlocks: (count) =>
        Effect.gen(function*() {
          const newest = yield* Stream.runHead(whole.pages())
          const items = newest._tag === "Some" ? newest.value.items : []
          const block = items.reduce((highest, item) => Math.max(highest, item.block_number), -1)
          return block < 0
            ? { _tag: "Beginning" }
            : { _tag: "Block", block: Math.max(0, block - count + 1) }
        })
    }
  })

/** Reads all pages, newest first, into one that is ordered by block. */
const sortedPage = <Item extends WatchableRecord>(
  pages: Stream.Stream<PageRecords<Item>, CommandError>
): Effect.Effect<PageRecords<Item>, CommandError> =>
  Effect.gen(function*() {
    const all: Array<PageRecords<Item>> = []
    let count = 0
    yield* Stream.runForEach(pages, (page) => {
      all.push(page)
      count += page.items.length
      return count <= maxUnordered ? Effect.void : new UsageError({
        reason: `the list has more than ${maxUnordered} records since the start of the watch`,
        hint: "export them first, and watch with a later --since"
      })
    })
    const items = all.flatMap((page) => page.items).reverse()
    const order = items.map((item, index) => ({ block: item.block_number, index }))
      .sort((a, b) => a.block - b.block || a.index - b.index)
      .map(({ index }) => index)
    const sorted = <A>(values: ReadonlyArray<A>) => order.flatMap((index) => values.slice(index, index + 1))
    return {
      items: sorted(items),
      records: memoise(() => sorted(all.flatMap((page) => page.records()).reverse()))
    }
  })
