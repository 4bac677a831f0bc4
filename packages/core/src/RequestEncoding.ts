/** Encodes the input of an operation as an HTTP request. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Decoder from "./Decoder.ts"
import type { Method, Operation } from "./Operation.ts"
import { InvalidInputError } from "./OperationError.ts"
import type { QueryParameters } from "./QueryParameters.ts"

/** A request without base URL and headers. */
export interface EncodedRequest {
  readonly method: Method
  /** Percent-encoded, relative to the path prefix of the API. */
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  /** JSON, or null if the request has no body. */
  readonly body: string | null
}

/**
 * The format of a parameter with several values: `name[]=A&name[]=B`, `name[0]=A&name[1]=B`, `name=A&name=B`, or
 * `name=A,B`.
 */
export type ArrayFormat = "brackets" | "indices" | "repeat" | "comma"

/** The parts of an operation that determine where its parameters are sent. */
type RequestShape = Pick<Operation<never, never, never, never>, "id" | "method" | "path" | "parameters">

/** The parts of an operation that encoding and decoding of its input need. */
interface OperationInput<I, InputEncoded> extends RequestShape {
  readonly input: Schema.Schema<I, InputEncoded>
}

/**
 * Creates a function that decodes what a caller wrote to the canonical input. It fails with all invalid and unknown
 * parameters.
 */
export const inputDecoder = <I, InputEncoded>(
  operation: OperationInput<I, InputEncoded>
): (encoded: unknown) => Either.Either<I, InvalidInputError> => {
  const decode = Decoder.make(operation.input, { errors: "all" })
  const names = operation.parameters.map(({ name }) => name)
  return (encoded) => {
    const decoded = Either.mapLeft(decode(encoded), issuesOf)
    const unknown = unknownParameters(names, encoded)
    const issues = Arr.isNonEmptyReadonlyArray(unknown)
      ? Either.left(Arr.appendAll(Either.isLeft(decoded) ? decoded.left : [], unknown))
      : decoded
    return Either.mapLeft(issues, (issues) => new InvalidInputError({ operation: operation.id, issues }))
  }
}

/** TypeScript checks the excess members of literals only. */
const unknownParameters = (names: ReadonlyArray<string>, encoded: unknown): ReadonlyArray<InputIssue> =>
  Predicate.isRecord(encoded)
    ? Object.keys(encoded).filter((name) => encoded[name] !== undefined && !names.includes(name))
      .map((parameter) => ({
        parameter,
        reason: `unknown parameter; expected one of ${names.join(", ")}`
      }))
    : []

/** Decodes what a caller wrote to the canonical input. Fails with all invalid and unknown parameters. */
export const decodeInput = <I, InputEncoded>(
  operation: OperationInput<I, InputEncoded>,
  encoded: unknown
): Either.Either<I, InvalidInputError> => inputDecoder(operation)(encoded)

/** Creates a function that encodes a canonical input as a request. Equal inputs give equal requests. */
export const requestEncoder = <I, InputEncoded>(
  operation: OperationInput<I, InputEncoded>,
  arrayFormat: ArrayFormat = "brackets"
): (input: I) => EncodedRequest => {
  const encode = Decoder.encoder(operation.input)
  const { method } = operation
  const segments = operation.path.split("/").map((segment) =>
    segment.startsWith(":") ? { name: segment.slice(1) } : segment
  )
  const namesIn = (location: "query" | "body") =>
    operation.parameters.filter((parameter) => parameter.in === location).map(({ name }) => name)
  const queryNames = namesIn("query")
  const bodyNames = namesIn("body")
  return (input) => {
    const encoded: unknown = encode(input)
    const values: Readonly<Record<string, unknown>> = Predicate.isRecord(encoded) ? encoded : {}
    const query: Array<readonly [string, string]> = []
    for (const name of queryNames) {
      if (Object.hasOwn(values, name)) addValue(query, name, values[name], arrayFormat)
    }
    const members = () =>
      bodyNames.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]] as const)
    return {
      method,
      path: segments.map((segment) =>
        typeof segment === "string" ? segment : encodeURIComponent(String(values[segment.name]))
      ).join("/"),
      query,
      body: method === "POST" ? JSON.stringify(Object.fromEntries(members())) : null
    }
  }
}

/** Encodes a canonical input as a request. Equal inputs give equal requests. */
export const encodeRequest = <I, InputEncoded>(
  operation: OperationInput<I, InputEncoded>,
  input: I,
  arrayFormat?: ArrayFormat
): EncodedRequest => requestEncoder(operation, arrayFormat)(input)

const addValue = (
  query: Array<readonly [string, string]>,
  name: string,
  value: unknown,
  arrayFormat: ArrayFormat
): void => {
  if (!Array.isArray(value)) query.push([name, String(value)])
  else if (arrayFormat === "comma") query.push([name, value.join(",")])
  else {
    for (const [index, item] of value.entries()) {
      query.push([name + suffixes[arrayFormat](index), String(item)])
    }
  }
}

const suffixes: { readonly [F in Exclude<ArrayFormat, "comma">]: (index: number) => string } = {
  brackets: () => "[]",
  indices: (index) => `[${index}]`,
  repeat: () => ""
}

/** Encodes parameters that no description has, in their order. */
export const encodeQuery = (
  parameters: QueryParameters,
  arrayFormat: ArrayFormat = "brackets"
): EncodedRequest["query"] => {
  const query: Array<readonly [string, string]> = []
  for (const [name, value] of Object.entries(parameters)) {
    const isAbsent = value === undefined || (Array.isArray(value) && value.length === 0)
    if (!isAbsent) addValue(query, name, value, arrayFormat)
  }
  return query
}

/** Formats a query string, without `?`. */
export const formatQuery = (query: EncodedRequest["query"]): string =>
  query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")

type InputIssue = InvalidInputError["issues"][number]

/** Returns the issues of a `ParseError` by parameter. */
const issuesOf = (error: ParseResult.ParseError): Arr.NonEmptyReadonlyArray<InputIssue> =>
  Arr.map(Decoder.leavesOf(error.issue), ({ issue, path }) => ({
    parameter: path.join(".") || "input",
    reason: Decoder.reasonOf(issue)
  }))
