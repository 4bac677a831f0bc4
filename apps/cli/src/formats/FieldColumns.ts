/** Table columns of fields that the user selects: the values as they are, without formatting. */
import * as Predicate from "effect/Predicate"
import type { Column } from "../render/Table.ts"
import { toJson } from "../text/Json.ts"
import { type FieldKind, type RecordField, valueAt } from "./RecordFields.ts"

/** Names of fields whose values are shortened in the middle. */
const idName = /address$|hash$|^owner_of$|^sender$|^token_id$/i

const kinds: Readonly<Record<FieldKind, Column<unknown>["kind"]>> = {
  amount: "number",
  decimal: "number",
  float: "number",
  integer: "number",
  boolean: "fixed",
  time: "fixed",
  json: "text",
  string: "text"
}

const formatValue = (value: unknown): string =>
  value === null || value === undefined ? "" : Predicate.isString(value) ? value : toJson(value)

export const fieldColumns = (fields: ReadonlyArray<RecordField>): ReadonlyArray<Column<unknown>> =>
  fields.map((field) => ({
    header: field.path.join("."),
    kind: field.kind === "string" && idName.test(field.path.at(-1) ?? "") ? "id" : kinds[field.kind],
    cell: (record) => formatValue(valueAt(record, field.path))
  }))

/** Returns the columns of fields of which a narrow table shows the first ones. */
export const rankedColumns = (fields: ReadonlyArray<RecordField>): ReadonlyArray<Column<unknown>> =>
  fieldColumns(fields).map((column, index) => ({ ...column, dropOrder: index }))
