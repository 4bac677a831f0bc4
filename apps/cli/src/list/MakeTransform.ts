/** What `--fields` and `--jq` make of the records. */
import * as Effect from "effect/Effect"
import { FalseResultError, NoResultError, UsageError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { OutputFormat } from "../render/OutputFormat.ts"
import { toJson } from "../text/Json.ts"
import type { OutputSettings } from "./OutputOptions.ts"
import type { RecordTransform } from "./RecordTransform.ts"
import { pickFields, selectFields } from "./SelectFields.ts"

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
  const watched = (result: ReturnType<RecordTransform["apply"]>) =>
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
