/** What an export was requested to contain. Equal queries have the same records. */
import { chainName } from "@blockquarry/core/Chain"
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ArgumentValues } from "../args/ArgumentValues.ts"
import { queryOption } from "../args/QueryOption.ts"
import { kebabCase } from "../text/KebabCase.ts"

/** What is requested of a list. Equal queries have the same records. It contains no API key. */
export const ListQuery = Schema.Struct({
  /** The origin of the service. The sandbox has none. */
  service: Schema.optionalWith(Schema.String, { exact: true }),
  operation: Schema.String,
  /** The canonical input of the operation. */
  input: Schema.Unknown,
  /** Whether the records are synthetic. */
  sandbox: Schema.Boolean
})

export interface ListQuery extends Schema.Schema.Type<typeof ListQuery> {}

/** What determines the bytes of the file. */
export const ExportQuery = Schema.Struct({
  ...ListQuery.fields,
  maxItems: Schema.NullOr(Schema.Int),
  /** The format and the options that change its bytes. */
  format: Schema.Record({ key: Schema.String, value: Schema.String })
})

export interface ExportQuery extends Schema.Schema.Type<typeof ExportQuery> {}

/** The operation that names the parameters of a query. */
export type QueryOperation = Pick<AnyOperation, "parameters">

/** Removes the size of pages, which does not change the records, and adds the words of `--query`. Chains are names. */
export const canonicalInput = (input: unknown, values: ArgumentValues): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries({
      ...Predicate.isRecord(input) ? input : {},
      [queryOption.name]: values.get(queryOption.name)
    })
      .filter(([name, value]) => name !== "limit" && value !== undefined)
      .map(([name, value]) => [
        name,
        name === "chain" && typeof value === "string" ? chainName(value) ?? value : value
      ])
  )

/** The names of the members of a query on the command line. */
const labels: Readonly<Record<string, string>> = {
  operation: "command",
  sandbox: "--sandbox",
  maxItems: "--max-items",
  "input.maxItems": "--max-items",
  "input.columns": "--from-column",
  "format.name": "format"
}

const labelOf = (name: string, { parameters }: QueryOperation): string => {
  const own = labels[name]
  const [group = "", member] = name.split(".")
  if (own !== undefined || member === undefined) return own ?? name
  const option = kebabCase(member)
  const isArgument = group === "input" &&
    parameters.some((parameter) => kebabCase(parameter.name) === option && parameter.in !== "query")
  return isArgument ? `<${option}>` : `--${option}`
}

/** Returns the members of a query by dotted names, for messages. */
const membersOf = (value: unknown, name: string): ReadonlyArray<readonly [string, string]> =>
  Predicate.isRecord(value)
    ? Object.entries(value).flatMap(([key, member]) =>
      membersOf(member, name === "" ? key : `${name}.${key}`)
    )
    : value === undefined || value === null
    ? []
    : [[name, typeof value === "string" ? value : JSON.stringify(value)]]

/** Describes how two queries differ, or returns an empty text. For example `--chain: not set -> polygon`. */
export const describeDifference = (before: unknown, now: unknown, operation: QueryOperation): string => {
  const [was, is] = [new Map(membersOf(before, "")), new Map(membersOf(now, ""))]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.get(name) !== is.get(name))
    .map((name) =>
      name === "input.inputs"
        ? "other inputs"
        : `${labelOf(name, operation)}: ${was.get(name) ?? "not set"} -> ${is.get(name) ?? "not set"}`
    )
    .join(", ")
}
