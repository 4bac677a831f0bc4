/** Parses HTTP requests for operations, as a proxy and the sandbox receive them. */
import * as Predicate from "effect/Predicate"
import type { AnyOperation } from "./Operation.ts"
import type { EncodedRequest } from "./RequestEncoding.ts"

/** The parameters of a received request: those of the operation, and unknown ones. */
export interface ParsedRequest {
  /** The input of `decodeInput`. */
  readonly encoded: Readonly<Record<string, unknown>>
  /** Query parameters that the operation does not have, unchanged. */
  readonly unknownQuery: EncodedRequest["query"]
}

/**
 * Parses a received request. Accepts arrays in every `ArrayFormat`, and ignores unknown members of the body. A repeated
 * parameter becomes an array, which `decodeInput` rejects if the parameter has a single value.
 */
export const parseRequest = (
  { parameters }: Pick<AnyOperation, "parameters">,
  path: Readonly<Record<string, string>>,
  query: EncodedRequest["query"],
  body: unknown
): ParsedRequest => {
  const queryNames = new Set(
    parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
  )
  const values = new Map<string, Array<string>>()
  const unknownQuery: Array<readonly [string, string]> = []
  for (const [key, value] of query) {
    const name = key.replace(/\[\d*\]$/, "")
    const earlier = values.get(name)
    if (!queryNames.has(name)) unknownQuery.push([key, value])
    else if (earlier === undefined) values.set(name, [value])
    else earlier.push(value)
  }
  const members = Predicate.isRecord(body)
    ? Object.entries(body).filter(([name]) => parameters.some((parameter) => parameter.name === name))
    : []
  const single = [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all] as const)
  return { encoded: { ...Object.fromEntries(members), ...Object.fromEntries(single), ...path }, unknownQuery }
}

/**
 * Creates a function that finds the operation of a path and decodes its parameters. Literal segments take precedence over
 * parameters.
 */
export const pathMatcher = <O extends Pick<AnyOperation, "path">>(
  operations: ReadonlyArray<O>
): (path: string) => PathMatch<O> | undefined => {
  const patterns = operations.map((operation) => ({ operation, segments: operation.path.split("/") }))
    .sort((a, b) => parameterCount(a.segments) - parameterCount(b.segments))
  return (path) => {
    const segments = path.split("/").map(decodeSegment)
    for (const pattern of patterns) {
      if (pattern.segments.length !== segments.length) continue
      const parameters = matchSegments(pattern.segments, segments)
      if (parameters !== undefined) return { operation: pattern.operation, parameters }
    }
    return undefined
  }
}

/** The operation of a path, and the path parameters. */
export interface PathMatch<O> {
  readonly operation: O
  readonly parameters: Readonly<Record<string, string>>
}

const parameterCount = (segments: ReadonlyArray<string>): number =>
  segments.filter((segment) => segment.startsWith(":")).length

const decodeSegment = (segment: string): string => {
  if (!segment.includes("%")) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const matchSegments = (
  pattern: ReadonlyArray<string>,
  segments: ReadonlyArray<string>
): Readonly<Record<string, string>> | undefined => {
  const parameters: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ""
    if (expected.startsWith(":") && segment !== "") parameters[expected.slice(1)] = segment
    else if (expected !== segment) return undefined
  }
  return parameters
}
