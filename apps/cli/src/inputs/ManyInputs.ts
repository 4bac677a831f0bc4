/**
 * Many inputs as one list of records, in the order of the inputs.
 *
 * The first pages of the next inputs are fetched ahead. The rest of a list is read when its turn comes, so that memory is
 * bounded.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { integerValue, singleValue } from "../args/ArgumentValues.ts"
import { chainOptionName } from "../args/Chains.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import {
  limitRecords,
  type ListPosition,
  type RecordList,
  type RecordPage,
  recordPage
} from "../list/RecordList.ts"
import { idColumn, textColumn } from "../render/Columns.ts"
import { countOf } from "../render/Count.ts"
import type { Column } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import type { InputFailures } from "./InputFailures.ts"
import { defaultConcurrency } from "./InputOptions.ts"
import type { InputLine } from "./InputText.ts"

/** A position in the records of many inputs. As a cursor it continues a command or an export. */
interface InputPosition {
  /** The number of inputs before the current one. */
  readonly index: number
  /** The number of inputs before the current one that failed. */
  readonly failed: number
  /** The number of records of the current input before the position. */
  readonly records: number
  /** The cursor in the list of the current input; undefined at its beginning. */
  readonly cursor?: string | undefined
}

const formatPosition = ({ cursor = "", failed, index, records }: InputPosition): string =>
  `${index}:${failed}:${records}:${cursor}`

/** Returns the beginning for no cursor. */
const parsePosition = (text = "0:0:0:"): Effect.Effect<InputPosition, UsageError> => {
  const [, index, failed, records, cursor] = /^(\d{1,12}):(\d{1,12}):(\d{1,12}):(.*)$/s.exec(text) ?? []
  return index === undefined
    ? new UsageError({
      reason: "--cursor: expected a position in many inputs, such as 12:0:100:…",
      hint: "use the cursor that the interrupted command printed"
    })
    : Effect.succeed({
      index: Number(index),
      failed: Number(failed),
      records: Number(records),
      cursor: cursor === "" ? undefined : cursor
    })
}

/** What records of many inputs start with: the text of the input, and its chain if there are several. */
type InputKey = Readonly<Partial<Record<InputKeyName, string>>>

export type InputKeyName = "input" | "chain"

/** A record with the input that it belongs to. */
interface InputRecord<out Item> {
  readonly key: InputKey
  /** The address that the record concerns, if any. */
  readonly subject: string | null
  readonly item: Item
}

interface ManyInputsOptions {
  /** Describes the inputs and the options: equal ones give equal records. */
  readonly canonicalInput: unknown
  readonly lines: Stream.Stream<InputLine, CommandError>
  /** The fields that each record starts with. */
  readonly keyNames: ReadonlyArray<InputKeyName>
  /** The names of the arguments that the lines contain. */
  readonly argumentNames: ReadonlyArray<string>
  readonly failures: InputFailures
}

interface OpenInput<out Item> {
  readonly line: InputLine
  readonly key: InputKey
  readonly subject: string | null
  readonly isSinglePage: boolean
  readonly start: InputPosition
  readonly pages: Stream.Stream<RecordPage<Item>, CommandError>
}

/** Creates the list of the records of all inputs. `--max-items` ends the list of each input. */
export const manyInputs = <Item>(
  list: RecordList<Item>,
  { argumentNames, canonicalInput, failures, keyNames, lines }: ManyInputsOptions
): RecordList<InputRecord<Item>> => {
  /** Fetches the first page of an input. Its error is that of the returned pages. */
  const openInput = (
    invocation: CommandInvocation,
    scope: Scope.Scope,
    line: InputLine,
    start: InputPosition,
    previous: ReadonlyArray<string> | undefined
  ): Effect.Effect<OpenInput<Item>, never, ApiClients | CommandTerminal> =>
    Effect.gen(function*() {
      const { chain, values } = line
      const key: InputKey = {
        ...(keyNames.includes("input") ? { input: values.join(" ") } : {}),
        ...(chain === undefined ? {} : { chain })
      }
      const opened = yield* Effect.either(
        Effect.flatten(Either.flatMap(invocationOf(invocation, argumentNames, line), list.sourceOf))
      )
      if (Either.isLeft(opened)) {
        return { line, key, start, isSinglePage: true, subject: null, pages: Stream.fail(opened.left) }
      }
      const { isSinglePage, pages, subject } = opened.right
      const maxItems = integerValue(invocation.values, "max-items")
      const inputScope = yield* Scope.fork(scope, scope.strategy)
      const pull = yield* pages(start.cursor, previous).pipe(
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
      const read = Stream.ensuring(Stream.repeatEffectChunkOption(next), Scope.close(inputScope, Exit.void))
      return { line, key, start, isSinglePage, subject, pages: read }
    })

  /** Returns the pages of an input, with positions in all inputs. */
  const inputPages = (
    maxItems: number | null,
    { isSinglePage, key, line, pages, start, subject }: OpenInput<Item>
  ): Stream.Stream<RecordPage<InputRecord<Item>>, CommandError> => {
    let records = start.records
    const toInputPage = (page: RecordPage<Item>): RecordPage<InputRecord<Item>> => {
      const [before, { failed }] = [records, failures.counts()]
      records += page.rows.length
      const isLast = isSinglePage || page.end.cursor === null || (maxItems !== null && records >= maxItems)
      const positionAfter = ({ cursor, previous }: ListPosition, count: number): ListPosition => ({
        cursor: typeof cursor === "string"
          ? formatPosition({ index: start.index, failed, records: before + count, cursor })
          : undefined,
        previous
      })
      const end = isLast
        ? { cursor: formatPosition({ index: start.index + 1, failed, records: 0 }), previous: [] }
        : positionAfter(page.end, page.rows.length)
      return {
        ...page,
        rows: page.rows.map(({ after, item, record }, index) => ({
          item: { key, subject, item },
          // The key comes first. Fields of these names in the record give way
          record: () => ({ ...key, ...record(), ...key }),
          after: () => index + 1 === page.rows.length ? end : positionAfter(after(), index + 1)
        })),
        invalid: page.invalid.map((record) => ({ ...key, ...record })),
        end,
        total: null
      }
    }
    return pages.pipe(
      Stream.map(toInputPage),
      Stream.concat(Stream.execute(failures.addSuccess)),
      Stream.catchAll((error) => Stream.execute(failures.add(line, error)))
    )
  }

  return {
    ...list,
    fields: [
      ...keyNames.map((name): RecordField => ({ path: [name], kind: "string" })),
      ...list.fields.filter(({ path: [first] }) => keyNames.every((name) => name !== first))
    ],
    columns: withKeyColumns(list.columns, keyNames),
    isDimmed: ({ item }) => list.isDimmed(item),
    sourceOf: (invocation) =>
      Either.right(Effect.map(Effect.context<ApiClients | CommandTerminal>(), (context) => ({
        input: canonicalInput,
        subject: null,
        warning: null,
        isSinglePage: false,
        pages: (cursor = singleValue(invocation.values, "cursor"), previous) =>
          Stream.unwrapScoped(Effect.gen(function*() {
            const scope = yield* Effect.scope
            const start = yield* parsePosition(cursor)
            failures.restore({ failed: start.failed, total: start.index })
            return lines.pipe(
              Stream.zipWithIndex,
              Stream.drop(start.index),
              Stream.mapEffect(
                ([line, index]) =>
                  openInput(
                    invocation,
                    scope,
                    line,
                    ...index === start.index
                      ? [start, previous] as const
                      : [{ index, failed: 0, records: 0 }, undefined] as const
                  ),
                { concurrency: integerValue(invocation.values, "concurrency") ?? defaultConcurrency }
              ),
              Stream.flatMap((open) => inputPages(integerValue(invocation.values, "max-items"), open)),
              Stream.concat(Stream.make(lastPage))
            )
          })).pipe(Stream.provideContext(context))
      })))
  }
}

const lastPage: RecordPage<never> = recordPage(null, { cursor: null, result: [] }, () => [])

const withKeyColumns = <Item>(
  columns: ReadonlyArray<Column<Item>>,
  names: ReadonlyArray<InputKeyName>
): ReadonlyArray<Column<InputRecord<Item>>> => [
  ...names.map((name) =>
    (name === "input" ? idColumn : textColumn)<InputRecord<Item>>(name, ({ key }) => key[name] ?? null)
  ),
  ...columns.map(({ name, ...column }) => ({
    ...column,
    cell: ({ item, subject }: InputRecord<Item>, view: View) => column.cell(item, { ...view, subject }),
    name: name && (({ item, subject }: InputRecord<Item>, view: View) => name(item, { ...view, subject }))
  }))
]

/** Sets the arguments that a line contains, and its chain. Names of the address book stand for their addresses. */
const invocationOf = (
  invocation: CommandInvocation,
  argumentNames: ReadonlyArray<string>,
  { chain, values }: InputLine
): Either.Either<CommandInvocation, UsageError> => {
  const isCsv = invocation.values.has("from-column")
  const count = argumentNames.length === 1 && !isCsv
    ? (values[0] ?? "").split(/[,;\t]/).length
    : values.length
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
  const all = new Map(invocation.values)
  // The cursor is a position in all inputs
  all.delete("cursor")
  for (const [index, name] of argumentNames.entries()) {
    all.set(name, [invocation.settings.configuration.addressBook.resolve(values[index] ?? "")])
  }
  if (chain !== undefined) all.set(chainOptionName, [chain])
  return Either.right({ ...invocation, values: all })
}
