/** What `--fields` and `--jq` make of the records. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { closestMatch } from "../args/Suggest.ts"
import { FalseResultError, NoResultError, UsageError } from "../errors/CommandError.ts"
import { type RecordField, valueAt } from "../formats/RecordFields.ts"
import type { OutputFormat } from "../render/View.ts"
import { print } from "../terminal/Terminal.ts"
import { toJson } from "../text/Json.ts"
import type { OutputSettings } from "./OutputOptions.ts"
import type { EncodedRecord, RecordTransform } from "./RecordList.ts"

const nameOf = ({ path }: RecordField): string => path.join(".")

const descriptions: Readonly<Record<RecordField["kind"], string>> = {
  string: "text",
  boolean: "true or false",
  integer: "integer",
  float: "number",
  amount: "exact integer, as text",
  decimal: "exact decimal, as text",
  time: "time in UTC, ISO 8601",
  json: "array or any JSON"
}

export const printFieldsHelp = (fields: ReadonlyArray<RecordField>) => {
  const nameWidth = Math.max(...fields.map((field) => nameOf(field).length))
  return print(fields.map((field) => `${nameOf(field).padEnd(nameWidth)}  ${descriptions[field.kind]}\n`))
}

/** Returns the named fields in the order of the names. The name of an object selects all of its fields. */
const selectFields = (fields: ReadonlyArray<RecordField>, names: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(names, (name) => {
      const matching = fields.filter((field) =>
        nameOf(field) === name || nameOf(field).startsWith(`${name}.`)
      )
      if (matching.length > 0) return Effect.succeed(matching)
      const suggestion = closestMatch(name, fields.map(nameOf))
      return new UsageError({
        reason: `--fields: unknown field ${JSON.stringify(name)}`,
        hint: `${
          suggestion === undefined ? "" : `did you mean ${suggestion}? `
        }--fields help lists all fields`
      })
    }),
    (selected) => [...new Set(selected.flat())]
  )

/** Returns a function that makes a record with some of the fields, in their order. Missing values are null. */
const pickFields = (
  fields: ReadonlyArray<RecordField>,
  depth = 0
): (record: EncodedRecord) => EncodedRecord => {
  const members = Object.entries(Arr.groupBy(fields, ({ path }) => path[depth] ?? ""))
    .map(([name, inner]) => {
      const whole = inner.find(({ path }) => path.length === depth + 1)
      return whole === undefined
        ? [name, pickFields(inner, depth + 1)] as const
        : [name, (record: EncodedRecord) => valueAt(record, whole.path) ?? null] as const
    })
  return (record) => Object.fromEntries(members.map(([name, valueOf]) => [name, valueOf(record)]))
}

const picking = (fields: ReadonlyArray<RecordField>): RecordTransform => {
  const pick = pickFields(fields)
  return {
    fields,
    holdsRecords: false,
    apply: (records) => Effect.sync(() => ({ values: records.map(pick), error: null })),
    end: Effect.succeed({ values: [], error: null }),
    status: Effect.void
  }
}

/** Adds `--exit-status`, as `jq --exit-status` has it. */
const withStatus = (transform: RecordTransform): RecordTransform => {
  let last: unknown = undefined
  const watched = (result: RecordTransform["end"]) =>
    Effect.tap(result, ({ values }) => Effect.sync(() => (last = values.at(-1) ?? last)))
  return {
    ...transform,
    apply: (records) => watched(transform.apply(records)),
    end: watched(transform.end),
    status: Effect.suspend((): Effect.Effect<void, FalseResultError | NoResultError> =>
      last === undefined
        ? new NoResultError()
        : ["false", "null"].includes(toJson(last))
        ? new FalseResultError()
        : Effect.void
    )
  }
}

/** Returns the transformation that the options describe; null if the records stay as they are. */
export const makeTransform = (
  recordFields: ReadonlyArray<RecordField>,
  { fields, hasExitStatus, jq }: OutputSettings,
  format: OutputFormat
): Effect.Effect<RecordTransform | null, UsageError> =>
  Effect.gen(function*() {
    const selected = fields.length === 0 ? null : yield* selectFields(recordFields, fields)
    if (jq === null && hasExitStatus) {
      return yield* new UsageError({
        reason: "--exit-status requires --jq",
        hint: "it concerns the last result of an expression"
      })
    }
    if (jq === null) return selected === null ? null : picking(selected)
    if (format === "csv") {
      return yield* new UsageError({
        reason: "--jq and -o csv are mutually exclusive, because results have no common columns",
        hint: "select columns with --fields, or use @csv in the expression"
      })
    }
    const { makeJq } = yield* Effect.promise(() => import("./Jq.ts"))
    const evaluated = yield* makeJq(jq)
    const program = hasExitStatus ? withStatus(evaluated) : evaluated
    if (selected === null) return program
    const pick = pickFields(selected)
    return { ...program, apply: (records) => program.apply(records.map(pick)) }
  })
