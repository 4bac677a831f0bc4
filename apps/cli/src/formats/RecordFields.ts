/** The fields of the records of an operation, derived from its output schema. They do not depend on data. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as AST from "effect/SchemaAST"
import type { Column } from "../render/Table.ts"
import { toJson } from "../text/Json.ts"

/** What a field contains in the encoded record, where it is not null. */
export type FieldKind =
  | "string"
  | "boolean"
  /** A safe integer. */
  | "integer"
  | "float"
  /** A string of digits: an exact integer of any size. */
  | "amount"
  /** A string of digits with a decimal point: an exact decimal. */
  | "decimal"
  /** A string in ISO 8601, in UTC with milliseconds. */
  | "time"
  /** An array, or a value of unspecified structure. */
  | "json"

/** A field that is not an object with fields of its own. */
export interface RecordField {
  /** The names from the record to the field. */
  readonly path: ReadonlyArray<string>
  readonly kind: FieldKind
}

/**
 * Returns the fields in the order of the encoded record. Lists: of a record of the page; others: of the output. `rows` names
 * an array whose elements are rows, as `unwound` returns them.
 */
export const recordFields = (
  { output }: Pick<AnyOperation, "output">,
  rows?: string
): ReadonlyArray<RecordField> => {
  const root = encodedShape(output.ast)
  const result = AST.isTypeLiteral(root)
    ? root.propertySignatures.find(({ name }) => name === "result")
    : undefined
  const list = result === undefined ? null : encodedShape(result.type)
  return fieldsOf(list !== null && AST.isTupleType(list) ? list.rest[0]?.type ?? root : root, [], rows)
}

/** Returns a record for each element of an array, which takes the place of the array. */
export const unwound = (
  record: Readonly<Record<string, unknown>>,
  rows: string | undefined
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const elements = rows === undefined ? null : record[rows]
  return rows !== undefined && Array.isArray(elements)
    ? elements.map((element: unknown) => ({ ...record, [rows]: element }))
    : [record]
}

const kindsByIdentifier: Readonly<Record<string, FieldKind>> = {
  Amount: "amount",
  BooleanLike: "boolean",
  Decimal: "decimal",
  Float: "float",
  Integer: "integer",
  Json: "json",
  PositiveInteger: "integer",
  Time: "time",
  TokenDecimals: "integer",
  // An identifier, although it consists of digits
  TokenId: "string",
  Uint64: "amount"
}

const identifierOf = (ast: AST.AST): string => Option.getOrElse(AST.getIdentifierAnnotation(ast), () => "")

const isMissing = (ast: AST.AST): boolean =>
  AST.isUndefinedKeyword(ast) || (AST.isLiteral(ast) && ast.literal === null)

/** Returns the part of a schema that determines the encoded values other than null. */
const encodedShape = (ast: AST.AST): AST.AST => {
  if (Object.hasOwn(kindsByIdentifier, identifierOf(ast))) return ast
  if (AST.isTransformation(ast) || AST.isRefinement(ast)) return encodedShape(ast.from)
  if (AST.isSuspend(ast)) return encodedShape(ast.f())
  if (!AST.isUnion(ast)) return ast
  const [member, ...others] = ast.types.filter((type) => !isMissing(type))
  return member === undefined || others.length > 0 ? ast : encodedShape(member)
}

const fieldsOf = (ast: AST.AST, path: ReadonlyArray<string>, rows?: string): ReadonlyArray<RecordField> => {
  const shape = encodedShape(ast)
  const element = AST.isTupleType(shape) && path.join(".") === rows ? shape.rest[0] : undefined
  if (element !== undefined) return fieldsOf(element.type, path)
  const kind = kindsByIdentifier[identifierOf(shape)]
  if (kind !== undefined) return [{ path, kind }]
  if (AST.isTypeLiteral(shape) && shape.propertySignatures.length > 0) {
    const fields = shape.propertySignatures.flatMap(({ name, type }) =>
      fieldsOf(type, [...path, String(name)], rows)
    )
    // It may have members that are no fields
    const isOpen = path.length > 0 && Option.isSome(AST.getParseOptionsAnnotation(shape))
    return isOpen ? [...fields, { path, kind: "json" }] : fields
  }
  if (AST.isUnion(shape)) {
    const objects = shape.types.map(encodedShape).filter(AST.isTypeLiteral)
    if (objects.length > 0) return firstOfEachPath(objects.flatMap((object) => fieldsOf(object, path, rows)))
  }
  const isStructure = AST.isTupleType(shape) || AST.isTypeLiteral(shape) || AST.isUnknownKeyword(shape)
  return [{ path, kind: isStructure ? "json" : "string" }]
}

/** Returns the fields of records that no schema describes, in the order in which they occur. */
export const fieldsOfValues = (values: ReadonlyArray<unknown>): ReadonlyArray<RecordField> =>
  firstOfEachPath(values.flatMap((value) => fieldsOfValue(value, [])))

const fieldsOfValue = (value: unknown, path: RecordField["path"]): ReadonlyArray<RecordField> => {
  if (Predicate.isRecord(value) && (path.length === 0 || Object.keys(value).length > 0)) {
    return Object.entries(value).flatMap(([name, member]) => fieldsOfValue(member, [...path, name]))
  }
  const kind = typeof value === "number"
    ? "float"
    : typeof value === "boolean"
    ? "boolean"
    : typeof value === "object" && value !== null
    ? "json"
    : "string"
  return [{ path, kind }]
}

/** The variants of a record share fields. A field that is structured in some variants only is one field of JSON. */
const firstOfEachPath = (fields: ReadonlyArray<RecordField>): ReadonlyArray<RecordField> => {
  const byName = new Map(fields.toReversed().map((field) => [field.path.join("."), field]))
  return fields.filter((field) => byName.get(field.path.join(".")) === field)
}

export const valueAt = (record: unknown, path: RecordField["path"]): unknown => {
  let value = record
  for (const name of path) value = Predicate.isRecord(value) ? value[name] : undefined
  return value
}

/** Names of fields whose values are shortened in the middle. */
const idName = /address$|hash$|^owner_of$|^sender$|^token_id$/i

const columnKinds: Readonly<Record<FieldKind, Column<unknown>["kind"]>> = {
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

/** Returns table columns of fields: the values as they are, without formatting. */
export const fieldColumns = (fields: ReadonlyArray<RecordField>): ReadonlyArray<Column<unknown>> =>
  fields.map((field) => ({
    header: field.path.join("."),
    kind: field.kind === "string" && idName.test(field.path.at(-1) ?? "") ? "id" : columnKinds[field.kind],
    cell: (record) => formatValue(valueAt(record, field.path))
  }))

/** Returns the columns of fields of which a narrow table shows the first ones. */
export const rankedColumns = (fields: ReadonlyArray<RecordField>): ReadonlyArray<Column<unknown>> =>
  fieldColumns(fields).map((column, index) => ({ ...column, dropOrder: index }))
