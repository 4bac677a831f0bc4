/** Table columns of fields that the user selects: the values as they are, without formatting. */
import * as Predicate from "effect/Predicate"
import type { Column } from "../render/Table.ts"
import { toJson } from "../text/Json.ts"
import { type RecordField, valueAt } from "./RecordFields.ts"

/** Names of fields whose values are shortened in the middle. */
const idName = /address$|hash$|^owner_of$|^sender$|^token_id$/i

const kindOf = (field: RecordField): Column<unknown>["kind"] => {
  switch (field.kind) {
    case "amount":
    case "decimal":
    case "float":
    case "integer":
      return "number"
    case "boolean":
    case "time":
      return "fixed"
    case "json":
      return "text"
    case "string":
      return idName.test(field.path.at(-1) ?? "") ? "id" : "text"
  }
}

const formatValue = (value: unknown): string =>
  value === null || value === undefined ? "" : Predicate.isString(value) ? value : toJson(value)

export const fieldColumns = (fields: ReadonlyArray<RecordField>): ReadonlyArray<Column<unknown>> =>
  fields.map((field) => ({
    header: field.path.join("."),
    kind: kindOf(field),
    cell: (record) => formatValue(valueAt(record, field.path))
  }))
