/** The records of responses that no description covers: which part of a document they are, and their fields. */
import { Cursor } from "@blockquarry/core/Cursor"
import { Json } from "@blockquarry/core/Json"
import type { ApiRequest, RequestFunction } from "@blockquarry/http/ApiRequest"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { integerValue } from "../args/ArgumentValues.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { fieldsOfValues, rankedColumns, type RecordField } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import { parseListCursor, readsSeveralPages } from "./ListOptions.ts"
import { makeTransform, printFieldsHelp } from "./MakeTransform.ts"
import { outputSettings } from "./OutputOptions.ts"
import { printRecord } from "./PrintRecord.ts"
import { printRecords } from "./PrintRecords.ts"
import { type EncodedRecord, recordPage, recordPages } from "./RecordList.ts"

const Page = Schema.Struct({
  cursor: Schema.NullOr(Cursor),
  result: Schema.Array(Json),
  /** Whether the records are a part of the document. */
  isList: Schema.Boolean
})

/**
 * A page of records: the elements of an array or of the member `result`, or else the document itself. A `cursor` continues
 * the list after it.
 */
const Document = Schema.transform(Json, Page, {
  strict: false,
  decode: (document) => {
    const { cursor = null, result } = Predicate.isRecord(document) ? document : { result: document }
    return {
      cursor,
      ...Array.isArray(result) ? { result, isList: true } : { result: [document], isList: false }
    }
  },
  // Responses are decoded only
  encode: ({ result }) => result
})

/** A record is an object. Another element of a list becomes the field `value` of one. */
const toRecord = (element: unknown): EncodedRecord =>
  Predicate.isRecord(element) ? element : { value: element }

/** Requests one page, or all of them, and prints their records. The first page determines the fields. */
export const printResponseRecords = (
  invocation: CommandInvocation,
  send: RequestFunction,
  request: ApiRequest,
  cursor: string | undefined
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.scoped(Effect.gen(function*() {
    const { settings: { format }, values } = invocation
    const output = outputSettings(values)
    const isSinglePage = !readsSeveralPages(invocation)
    if (format === "csv" && output.fields.length === 0 && !isSinglePage) {
      return yield* new UsageError({
        reason: "--output csv: the columns of later pages are unknown",
        hint: "select columns with --fields, or use -o ndjson"
      })
    }
    const maxItems = integerValue(values, "max-items")
    const start = parseListCursor(cursor)
    const pull = yield* Stream.toPull(send.pages({ ...request, output: Document }, {
      cursor: start.page,
      ...(isSinglePage ? { maxPages: 1 } : {
        prefetch: 1,
        maxItems: maxItems === null ? undefined : maxItems + start.skip
      })
    }))
    const first = yield* Effect.catchAll(
      pull,
      Option.match({
        onNone: () => Effect.succeed(Chunk.empty()),
        onSome: Effect.fail
      })
    )
    const records = [...first].flatMap(({ result }) => result.map(toRecord))
    // An empty list has any fields
    const fields = records.length > 0
      ? fieldsOfValues(records)
      : output.fields.map((name): RecordField => ({ path: name.split("."), kind: "json" }))
    if (output.isFieldsHelp) return yield* printFieldsHelp(fields)
    if (Chunk.every(first, ({ cursor, isList }) => !isList && cursor === null)) {
      return yield* printRecord(invocation, { fields, records })
    }
    const scalars = fields.filter(({ kind }) => kind !== "json")
    yield* printRecords({
      list: {
        fields,
        recordName: "records",
        columns: rankedColumns(scalars.length > 0 ? scalars : fields),
        isDimmed: () => false
      },
      source: {
        input: request,
        subject: null,
        warning: null,
        isSinglePage,
        pages: () =>
          Stream.concat(Stream.fromChunk(first), Stream.repeatEffectChunkOption(pull)).pipe(
            recordPages(start, (position, { cursor, result }) => {
              const all = result.map(toRecord)
              return recordPage(position, { cursor, result: all }, () => all)
            })
          )
      },
      maxItems,
      retryFor: Duration.zero,
      transform: yield* makeTransform(fields, output, format),
      invocation
    })
  }))
