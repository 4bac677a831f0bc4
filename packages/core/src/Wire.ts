/**
 * An operation's input as an HTTP request, and back: clients write it, the proxy and the sandbox read it.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as Decoder from "./Decoder.ts"
import { show } from "./internal/leaf.ts"
import type { Operation } from "./Operation.ts"
import { InvalidRequest } from "./QueryError.ts"

/**
 * A request without base address and headers.
 *
 * @since 0.1.0
 * @category models
 */
export interface WireRequest {
  readonly method: "GET" | "POST"
  /** Percent-encoded, behind the API's prefix. */
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  /** JSON text, or null where nothing is sent. */
  readonly body: string | null
}

/**
 * How a parameter of several values is spelled: `name[]=A&name[]=B`, `name[0]=A&name[1]=B`, `name=A&name=B` or
 * `name=A,B`.
 *
 * @since 0.1.0
 * @category models
 */
export type ArraySpelling = "brackets" | "indices" | "repeat" | "comma"

/** The parts of a descriptor that say where its parameters go. */
type Described = Pick<Operation<never, never, never, never>, "id" | "method" | "path" | "parameters">

/** Any operation's input and output sides, where the types do not matter. */
interface Readable<I, Accepts> extends Described {
  readonly input: Schema.Schema<I, Accepts>
}

/**
 * Reads what a caller wrote into the canonical input.
 *
 * @since 0.1.0
 * @category conversions
 */
export const readInput = <I, Accepts>(
  operation: Readable<I, Accepts>,
  written: unknown
): Either.Either<I, InvalidRequest> =>
  Either.mapLeft(
    Decoder.make(operation.input, { errors: "all" })(written),
    (error) => invalid(operation, error)
  )

/**
 * Writes a canonical input as the request that is sent: one spelling per value.
 *
 * @since 0.1.0
 * @category conversions
 */
export const writeRequest = <I, Accepts>(
  operation: Readable<I, Accepts>,
  input: I,
  spelling: ArraySpelling = "brackets"
): WireRequest => {
  const written: unknown = Decoder.encoder(operation.input)(input)
  const values = new Map(Object.entries(Object(written)))
  const placed = (place: "query" | "body") =>
    operation.parameters.filter((parameter) => parameter.in === place && values.has(parameter.name))
      .map(({ name }) => [name, values.get(name)] as const)
  return {
    method: operation.method,
    path: operation.path.split("/")
      .map((step) => step.startsWith(":") ? encodeURIComponent(String(values.get(step.slice(1)))) : step)
      .join("/"),
    query: placed("query").flatMap(([name, value]) => spell(name, value, spelling)),
    body: operation.method === "POST" ? JSON.stringify(Object.fromEntries(placed("body"))) : null
  }
}

const spell = (
  name: string,
  value: unknown,
  spelling: ArraySpelling
): ReadonlyArray<readonly [string, string]> => {
  if (!Array.isArray(value)) return [[name, String(value)]]
  switch (spelling) {
    case "brackets":
      return value.map((item) => [`${name}[]`, String(item)])
    case "indices":
      return value.map((item, index) => [`${name}[${index}]`, String(item)])
    case "repeat":
      return value.map((item) => [name, String(item)])
    case "comma":
      return [[name, value.join(",")]]
  }
}

/**
 * The text of a query, without `?`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const formatQuery = (query: WireRequest["query"]): string =>
  query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")

/**
 * A request as a server received it, sorted into what an operation knows and what it does not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Received {
  /** What `readInput` takes. */
  readonly written: Readonly<Record<string, unknown>>
  /** Query parameters that the operation does not have, as they came. */
  readonly unknown: WireRequest["query"]
}

/**
 * Sorts a received request. Arrays are read in every spelling; a repeated parameter becomes a list, which the
 * schema of a single value then refuses by name.
 *
 * @since 0.1.0
 * @category conversions
 */
export const receive = (
  operation: Described,
  path: Readonly<Record<string, string>>,
  query: WireRequest["query"],
  body: unknown
): Received => {
  const named = new Set(
    operation.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
  )
  const values = new Map<string, Array<string>>()
  const unknown: Array<readonly [string, string]> = []
  for (const [key, value] of query) {
    const name = key.replace(/\[\d*\]$/, "")
    if (!named.has(name)) unknown.push([key, value])
    else values.set(name, [...values.get(name) ?? [], value])
  }
  const members = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {}
  const single = [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all] as const)
  return { written: { ...members, ...Object.fromEntries(single), ...path }, unknown }
}

/**
 * The operation that a path belongs to, with its decoded path parameters. Literal steps win over parameters.
 *
 * @since 0.1.0
 * @category conversions
 */
export const matchPath = <O extends Described>(
  operations: ReadonlyArray<O>,
  path: string
): { readonly operation: O; readonly parameters: Readonly<Record<string, string>> } | undefined => {
  const steps = path.split("/").map(decodeStep)
  const found = operations.flatMap((operation) => {
    const parameters = matchSteps(operation.path.split("/"), steps)
    return parameters === undefined ? [] : [{ operation, parameters }]
  })
  return found.sort((a, b) => Object.keys(a.parameters).length - Object.keys(b.parameters).length)[0]
}

const decodeStep = (step: string): string => {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

const matchSteps = (
  pattern: ReadonlyArray<string>,
  steps: ReadonlyArray<string>
): Readonly<Record<string, string>> | undefined => {
  if (pattern.length !== steps.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const step = steps[index] ?? ""
    if (expected.startsWith(":") && step !== "") parameters[expected.slice(1)] = step
    else if (expected !== step) return undefined
  }
  return parameters
}

/** A schema's refusal as a failure that names the parameters. */
const invalid = (operation: Described, error: ParseResult.ParseError): InvalidRequest => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => ({
    parameter: path.length === 0 ? "input" : path.join("."),
    problem: message
  }))
  const fallback = { parameter: "input", problem: show(error.message) }
  return new InvalidRequest({
    operation: operation.id,
    issues: Arr.isNonEmptyReadonlyArray(issues) ? issues : [fallback]
  })
}
