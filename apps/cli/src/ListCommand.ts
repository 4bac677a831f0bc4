/** Commands that print lists: one page, or the whole of it as it arrives. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { Ask, AskList } from "@blockquarry/http/Client"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { Clients, type ClientsService, connect } from "./Clients.ts"
import { type Failure, Usage } from "./Failure.ts"
import { type Call, type Entry, isOn, type OptionSpec, single, type Values } from "./line/Entry.ts"
import { readValues, toArguments, toOptions } from "./line/Parameters.ts"
import * as ListPrinter from "./render/ListPrinter.ts"
import type { Column } from "./render/Table.ts"
import { Screen } from "./Screen.ts"
import { type Bounds, walk } from "./Walk.ts"

const walking: ReadonlyArray<OptionSpec> = [
  { name: "all", value: null, description: "every page to the end of the list, printed as it arrives" },
  {
    name: "max-items",
    value: "number",
    description: "stop after this many records, however many pages that takes"
  }
]

export interface ListSpec<
  I extends { readonly cursor?: string },
  Accepts,
  Output extends Page<Item>,
  Wire,
  Item
> {
  readonly words: readonly [group: string, name: string]
  readonly operation: ListOperation<I, Accepts, Output, Wire, Item>
  readonly client: (clients: ClientsService) => AskList<Accepts, Output, Item>
  /** What the records are called. */
  readonly noun: string
  readonly columns: ReadonlyArray<Column<Item>>
  readonly examples: ReadonlyArray<string>
  /** What help says below the options. */
  readonly note?: string
  /** Options besides those of the operation and of every list. */
  readonly options?: ReadonlyArray<OptionSpec>
  /** What to say before the first record. */
  readonly warn?: (input: I, call: Call) => string | null
  /** What to say of a page. */
  readonly remark?: (page: Output, call: Call) => string | null
  /** What is done before the first page is asked for good. */
  readonly before?: (
    ask: Ask<Accepts, Output>,
    written: Accepts,
    call: Call
  ) => Effect.Effect<void, Failure, Screen>
  /**
   * Pages of another making that an option asks for; null where it does not. They are printed to their end: the one
   * whose `cursor` is null; one without a `cursor` has others behind it, but nothing that leads there.
   */
  readonly instead?: (
    ask: AskList<Accepts, Output, Item>,
    written: Accepts,
    call: Call
  ) => Stream.Stream<Output, Failure> | null
  /** What is wrong with the options of its own, or with what they ask of the operation. */
  readonly check?: (written: Accepts, call: Call) => Either.Either<unknown, Usage>
}

/** Whether more than one page is asked for. */
export const isWalk = ({ values }: Call): boolean =>
  isOn(values, "all") || (single(values, "max-items") ?? "") !== ""

/** A positive number that an option of a command takes. */
export const count = (call: Call, name: string): Either.Either<number | null, Usage> => {
  const text = single(call.values, name)
  if (text === undefined || text === "") return Either.right(null)
  return /^[1-9]\d{0,14}$/.test(text)
    ? Either.right(Number(text))
    : Either.left(
      new Usage({
        problem: `--${name}: expected a whole number from 1, got ${JSON.stringify(text)}`,
        hint: null
      })
    )
}

export const listCommand = <
  I extends { readonly cursor?: string },
  Accepts,
  Output extends Page<Item>,
  Wire extends { readonly result: ReadonlyArray<unknown> },
  Item
>(spec: ListSpec<I, Accepts, Output, Wire, Item>): Entry => ({
  words: spec.words,
  operation: spec.operation.id,
  changes: false,
  api: spec.operation.api,
  summary: spec.operation.docs.summary,
  knownIssue: spec.operation.docs.knownIssue,
  note: spec.note,
  arguments: toArguments(spec.operation),
  options: [...toOptions(spec.operation), ...walking, ...spec.options ?? []],
  examples: spec.examples,
  run: (call) =>
    Effect.gen(function*() {
      const maxItems = yield* count(call, "max-items")
      const question = yield* readValues(spec.operation, call.values)
      yield* spec.check?.(question.written, call) ?? Either.void
      yield* Effect.provide(list(spec, call, question, maxItems), connect(call.settings))
    })
})

/** Every service has pages of this size. */
const surePageSize = 100

/** Fewer records than a page holds are asked for as a page of that size: nothing is fetched to be thrown away. */
const withPageSize = (values: Values, maxItems: number | null): Values =>
  maxItems === null || maxItems > surePageSize || single(values, "limit") !== undefined
    ? values
    : new Map([...values, ["limit", [String(maxItems)]]])

const list = <
  I extends { readonly cursor?: string },
  Accepts,
  Output extends Page<Item>,
  Wire extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListSpec<I, Accepts, Output, Wire, Item>,
  call: Call,
  { input, written }: { readonly input: I; readonly written: Accepts },
  maxItems: number | null
): Effect.Effect<void, Failure, Clients | Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const ask = spec.client(yield* Clients)
    const warning = spec.warn?.(input, call) ?? null
    if (warning !== null) yield* screen.note(warning)
    if (spec.before !== undefined) yield* spec.before(ask, written, call)
    const other = spec.instead?.(ask, written, call) ?? null
    if (other !== null) yield* screen.progress(`reading all ${spec.noun}`)
    const { format } = call.settings
    const isOne = other === null && !isWalk(call)
    const bounds: Bounds = { noun: spec.noun, all: !isOne, maxItems, format }
    const sized = yield* readValues(spec.operation, withPageSize(call.values, maxItems))
    const ahead = maxItems === null ? 1 : 0
    const pages = other ?? ask.pages(sized.written, isOne ? { maxPages: 1 } : { prefetch: ahead })
    const encode = Schema.encodeSync(spec.operation.output)
    const printer = ListPrinter.make(format, screen.out, spec.columns, bounds.all)
    yield* walk(pages, bounds, (page, kept) => ({
      remark: spec.remark?.(page, call) ?? null,
      text: printer.page(page.result.slice(0, kept), () => {
        const wire = encode(page)
        return { envelope: wire, records: wire.result.slice(0, kept) }
      })
    }), printer.end)
  })
