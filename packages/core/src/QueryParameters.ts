/** Query parameters that no description has: a service may know more parameters than an operation. */
import { formatValue } from "./internal/scalar.ts"
import type { AnyOperation } from "./Operation.ts"
import type { InvalidInputError } from "./OperationError.ts"
import { closestSpelling } from "./Suggestion.ts"

/** Parameters by name. One that is undefined and an empty list are left out. */
export interface QueryParameters {
  readonly [name: string]: QueryValue | ReadonlyArray<QueryValue> | undefined
}

/** A value of a parameter. An integer beyond 2^53 is a `bigint` or a string. */
export type QueryValue = string | number | bigint | boolean

/** Returns what is wrong with parameters that are added to an operation, such as a misspelling of one that it has. */
export const queryIssues = (
  { parameters }: Pick<AnyOperation, "parameters">,
  query: Readonly<Record<string, unknown>>
): ReadonlyArray<InvalidInputError["issues"][number]> =>
  Object.entries(query).flatMap(([name, value]) => {
    const reason = value === undefined ? null : nameReason(parameters, name) ?? valueReason(value)
    return reason === null ? [] : [{ parameter: `query.${name}`, reason }]
  })

const nameReason = (parameters: AnyOperation["parameters"], name: string): string | null => {
  if (name === "" || !name.isWellFormed()) return "expected a non-empty, well-formed name"
  const names = parameters.map((parameter) => parameter.name)
  // As in `name[]` and `name[0]`
  const base = name.replace(/\[\d*\]$/, "")
  if (names.includes(base)) return `the operation has the parameter ${base}; set it in the input`
  const match = closestSpelling(base, names)
  return match === undefined
    ? null
    : `unknown parameter; did you mean ${match}, which is set in the input? To send the name as it is, use request`
}

const valueReason = (value: unknown): string | null => {
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const invalid = values.findIndex((value) => !isQueryValue(value))
  return invalid === -1
    ? null
    : `expected a well-formed string, a number, a bigint, a boolean, or a list of them, got ${
      formatValue(values[invalid])
    }`
}

const isQueryValue = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed()
    : typeof value === "number"
    ? isExact(value)
    : typeof value === "bigint" || typeof value === "boolean"

/** Returns whether a number is finite, and exact if it is an integer. */
export const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
