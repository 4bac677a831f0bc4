/**
 * Many inputs as one source of records, in the order of the inputs.
 *
 * The first pages of the next inputs are fetched ahead. The rest of a list is read when its turn comes, so that memory is
 * bounded.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import { chainOptionName } from "../args/Chains.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { RecordList } from "../list/RecordList.ts"
import {
  type EncodedRecord,
  limitRecords,
  memoise,
  type RecordPage,
  type RecordSource
} from "../list/RecordSource.ts"
import { idColumn, textColumn } from "../render/Columns.ts"
import { countOf } from "../render/Count.ts"
import type { Column } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import type { InputFailures } from "./InputFailures.ts"
import { formatPosition, type InputPosition, parsePosition, startPosition } from "./InputPosition.ts"
import type { InputLine } from "./InputText.ts"

/** What records of many inputs start with: the text of the input, and its chain if there are several. */
type InputKey = Readonly<Partial<Record<InputKeyName, string>>>

export type InputKeyName = "input" | "chain"

/** A record with the input that it belongs to. */
export interface InputRecord<out Item> {
  readonly key: InputKey
  /** The address that the record concerns, if any. */
  readonly subject: string | null
  readonly item: Item
}

/** Returns the columns of records with their inputs. */
export const withKeyColumns = <Item>(
  columns: ReadonlyArray<Column<Item>>,
  names: ReadonlyArray<InputKeyName>
): ReadonlyArray<Column<InputRecord<Item>>> => [
  ...names.map((name) =>
    name === "input"
      ? idColumn<InputRecord<Item>>(name, ({ key }) => key[name] ?? null)
      : textColumn<InputRecord<Item>>(name, ({ key }) => key[name] ?? null)
  ),
  ...columns.map(({ name, ...column }) => ({
    ...column,
    cell: ({ item, subject }: InputRecord<Item>, view: View) => column.cell(item, { ...view, subject }),
    name: name === undefined
      ? undefined
      : ({ item, subject }: InputRecord<Item>, view: View) => name(item, { ...view, subject })
  }))
]

export interface ManyInputsOptions<Item>
  extends Pick<RecordList<Item>, "operation" | "fields" | "recordName" | "sourceOf">
{
  /** Describes the inputs and the options: equal ones give equal records. */
  readonly canonicalInput: unknown
  readonly lines: Stream.Stream<InputLine, CommandError>
  /** The fields that each record starts with. */
  readonly keyNames: ReadonlyArray<InputKeyName>
  /** The names of the arguments that the lines contain. */
  readonly argumentNames: ReadonlyArray<string>
  readonly invocation: CommandInvocation
  readonly concurrency: number
  /** Ends the list of each input after this many records. */
  readonly maxItems: number | null
  readonly failures: InputFailures
}

/** An input whose first page was requested. */
interface OpenInput<out Item> {
  readonly line: InputLine
  readonly key: InputKey
  readonly subject: string | null
  readonly isSinglePage: boolean
  readonly start: InputPosition
  readonly pages: Stream.Stream<RecordPage<Item>, CommandError>
}

/** Creates the source of the records of all inputs. */
export const manyInputs = <Item>(
  options: ManyInputsOptions<Item>
): Effect.Effect<RecordSource<InputRecord<Item>>, never, ApiClients | CommandTerminal> =>
  Effect.map(Effect.context<ApiClients | CommandTerminal>(), (context) => ({
    operation: options.operation,
    input: options.canonicalInput,
    fields: [
      ...options.keyNames.map((name): RecordField => ({ path: [name], kind: "string" })),
      ...options.fields.filter(({ path: [first] }) => options.keyNames.every((name) => name !== first))
    ],
    subject: null,
    recordName: options.recordName,
    warning: null,
    isSinglePage: false,
    pages: (cursor) =>
      Stream.unwrapScoped(Effect.gen(function*() {
        const scope = yield* Effect.scope
        const start = cursor === undefined ? startPosition : yield* parsePosition(cursor)
        // Inputs that cannot be read leave the failures of an earlier run in their file
        const begin = yield* Effect.cached(options.failures.continueAt(start))
        return options.lines.pipe(
          Stream.mapChunksEffect((lines) => Effect.as(begin, lines)),
          Stream.concat(Stream.execute(begin)),
          Stream.zipWithIndex,
          Stream.drop(start.index),
          Stream.mapEffect(
            ([line, index]) =>
              openInput(options, scope, line, index === start.index ? start : { ...startPosition, index }),
            { concurrency: options.concurrency }
          ),
          Stream.flatMap((open) => inputPages(options, open)),
          Stream.concat(Stream.make(lastPage))
        )
      })).pipe(Stream.provideContext(context))
  }))

const lastPage: RecordPage<never> = {
  items: [],
  records: () => [],
  nextCursor: null,
  total: null,
  note: null,
  cursorAfter: () => null
}

/** Fetches the first page of an input. Its error is that of the returned pages. */
const openInput = <Item>(
  { argumentNames, invocation, keyNames, maxItems, sourceOf }: ManyInputsOptions<Item>,
  scope: Scope.Scope,
  line: InputLine,
  start: InputPosition
): Effect.Effect<OpenInput<Item>, never, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const opened = { line, key: keyOf(line, keyNames), start }
    const source = yield* Effect.either(
      Effect.flatMap(invocationOf(invocation, argumentNames, line), sourceOf)
    )
    if (Either.isLeft(source)) {
      return { ...opened, isSinglePage: true, subject: null, pages: Stream.fail(source.left) }
    }
    const inputScope = yield* Scope.fork(scope, scope.strategy)
    const pull = yield* source.right.pages(start.cursor ?? undefined).pipe(
      limitRecords(maxItems === null ? null : maxItems - start.records),
      Stream.toPull,
      Scope.extend(inputScope)
    )
    const first = yield* Effect.exit(pull)
    let isFirst = true
    const next = Effect.suspend(() => {
      if (!isFirst) return pull
      isFirst = false
      return first
    })
    return {
      ...opened,
      isSinglePage: source.right.isSinglePage,
      subject: source.right.subject,
      pages: Stream.ensuring(Stream.repeatEffectChunkOption(next), Scope.close(inputScope, Exit.void))
    }
  })

const keyOf = ({ chain, values }: InputLine, names: ReadonlyArray<InputKeyName>): InputKey => ({
  ...(names.includes("input") ? { input: values.join(" ") } : {}),
  ...(chain === undefined ? {} : { chain })
})

/** Sets the arguments that a line contains, and its chain. Names of the address book stand for their addresses. */
const invocationOf = (
  invocation: CommandInvocation,
  argumentNames: ReadonlyArray<string>,
  line: InputLine
): Either.Either<CommandInvocation, UsageError> => {
  const isCsv = invocation.values.has("from-column")
  const count = argumentNames.length === 1 && !isCsv
    ? (line.values[0] ?? "").split(/[,;\t]/).length
    : line.values.length
  if (count !== argumentNames.length) {
    return Either.left(
      new UsageError({
        reason: `expected ${countOf(argumentNames.length, "values")} (${
          argumentNames.join(" ")
        }), got ${count}`,
        hint: isCsv ? null : "for a CSV file, select the columns with --from-column",
        concernsInput: true
      })
    )
  }
  const ofLine: ArgumentValues = new Map(
    argumentNames.map((
      name,
      index
    ) => [name, [invocation.settings.addressBook.resolve(line.values[index] ?? "")]])
  )
  // The cursor is a position in all inputs
  const shared = [...invocation.values].filter(([name]) => name !== "cursor")
  const all: ArgumentValues = new Map([
    ...shared,
    ...ofLine,
    ...(line.chain === undefined ? [] : [[chainOptionName, [line.chain]] as const])
  ])
  return Either.right({ ...invocation, values: all })
}

/** Puts the key first. Fields of these names in the record give way. */
const withKey = (key: InputKey, record: EncodedRecord): EncodedRecord => ({ ...key, ...record, ...key })

/** Returns the pages of an input, with positions in all inputs. */
const inputPages = <Item>(
  { failures, maxItems }: ManyInputsOptions<Item>,
  { isSinglePage, key, line, pages, start, subject }: OpenInput<Item>
): Stream.Stream<RecordPage<InputRecord<Item>>, CommandError> => {
  let records = start.records
  let position: string | undefined = formatPosition(start)
  const toInputPage = (page: RecordPage<Item>): RecordPage<InputRecord<Item>> => {
    const [before, startOfPage, failed] = [records, position, failures.failed()]
    records += page.items.length
    const isLast = isSinglePage || page.nextCursor === null || (maxItems !== null && records >= maxItems)
    const positionAfter = (count: number): string | undefined => {
      const cursor = page.cursorAfter(count)
      return typeof cursor === "string"
        ? formatPosition({ index: start.index, ...failed, records: before + count, cursor })
        : undefined
    }
    const nextCursor = isLast
      ? formatPosition({ ...startPosition, index: start.index + 1, ...failed })
      : positionAfter(page.items.length)
    position = nextCursor
    return {
      ...page,
      items: page.items.map((item) => ({ key, subject, item })),
      records: memoise(() => page.records().map((record) => withKey(key, record))),
      nextCursor,
      total: null,
      cursorAfter: (count) =>
        count === page.items.length ? nextCursor : count === 0 ? startOfPage : positionAfter(count)
    }
  }
  return pages.pipe(
    Stream.map(toInputPage),
    Stream.concat(Stream.execute(Effect.suspend(() => failures.addSuccess(records > start.records)))),
    Stream.catchAll((error) => Stream.execute(failures.add(line, error)))
  )
}

/** Joins small pages, so that a table has a layout for more than one record. */
export const joinPages = <Item>(
  pages: Stream.Stream<RecordPage<Item>, CommandError>
): Stream.Stream<RecordPage<Item>, CommandError> =>
  pages.pipe(
    // A failure must not overtake the pages before it
    Stream.either,
    Stream.groupedWithin(100, "200 millis"),
    Stream.flatMap((chunk) => {
      const [failed, joined] = Chunk.separate(chunk)
      const pages = Chunk.toReadonlyArray(joined)
      const last = pages.at(-1)
      const page: ReadonlyArray<RecordPage<Item>> = last === undefined ? [] : [{
        ...last,
        items: pages.flatMap(({ items }) => items),
        records: memoise(() => pages.flatMap((each) => each.records())),
        cursorAfter: (count) => {
          let before = 0
          for (const { cursorAfter, items: { length } } of pages) {
            if (count <= before + length) return cursorAfter(count - before)
            before += length
          }
          return last.nextCursor
        }
      }]
      return Stream.concat(
        Stream.fromIterable(page),
        Stream.flatMap(Stream.fromChunk(failed), (error) => Stream.fail(error))
      )
    })
  )
