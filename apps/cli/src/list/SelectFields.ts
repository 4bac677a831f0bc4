/** `--fields`: the fields of the records to keep. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { closestMatch } from "../args/Suggest.ts"
import { type OutputClosedError, type OutputError, UsageError } from "../errors/CommandError.ts"
import { type RecordField, recordFields, valueAt } from "../formats/RecordFields.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import type { EncodedRecord } from "./RecordSource.ts"

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

/** Prints the fields with their types. */
export const printFieldsHelp = (
  operation: AnyOperation
): Effect.Effect<void, OutputClosedError | OutputError, CommandTerminal> =>
  Effect.flatMap(CommandTerminal, ({ print }) => {
    const fields = recordFields(operation)
    const nameWidth = Math.max(...fields.map((field) => nameOf(field).length))
    return print(
      fields.map((field) => `${nameOf(field).padEnd(nameWidth)}  ${descriptions[field.kind]}\n`).join("")
    )
  })

/** Returns the named fields in the order of the names. The name of an object selects all of its fields. */
export const selectFields = (
  fields: ReadonlyArray<RecordField>,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<RecordField>, UsageError> =>
  Effect.gen(function*() {
    if (names.length === 0) return fields
    const selected = new Map<string, RecordField>()
    for (const name of names) {
      const matching = fields.filter((field) =>
        nameOf(field) === name || nameOf(field).startsWith(`${name}.`)
      )
      if (matching.length === 0) {
        const suggestion = closestMatch(name, fields.map(nameOf))
        return yield* new UsageError({
          reason: `--fields: unknown field ${JSON.stringify(name)}`,
          hint: `${
            suggestion === undefined ? "" : `did you mean ${suggestion}? `
          }--fields help lists all fields`
        })
      }
      for (const field of matching) selected.set(nameOf(field), field)
    }
    return [...selected.values()]
  })

/** Returns a record with some of the fields, in their order. Missing values are null. */
export const pickFields = (fields: ReadonlyArray<RecordField>) => {
  const parts = fields.map(({ path }) => ({ path, parents: path.slice(0, -1), name: path.at(-1) ?? "" }))
  return (record: EncodedRecord): EncodedRecord => {
    const picked: Record<string, unknown> = {}
    for (const { name, parents, path } of parts) {
      let object = picked
      for (const parent of parents) {
        const inner = object[parent]
        const copy: Record<string, unknown> = Predicate.isRecord(inner) ? { ...inner } : {}
        object[parent] = copy
        object = copy
      }
      object[name] = valueAt(record, path) ?? null
    }
    return picked
  }
}
