/**
 * Rewrites a received request into the upstream request: decodes the input with the schema of the operation, and encodes
 * it in its canonical form, so that equivalent requests share a cache entry.
 *
 * Unless validation is strict, undecodable values of parameters that are marked `passthrough` and unknown words pass through.
 * Unknown query parameters always do.
 */
import { chainName } from "@blockquarry/core/Chain"
import { isResumeCursor } from "@blockquarry/core/Cursor"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { InvalidInputError } from "@blockquarry/core/OperationError"
import { decodeInput, type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { type ParsedRequest, parseRequest } from "@blockquarry/core/RequestParsing"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Rec from "effect/Record"
import type * as Schema from "effect/Schema"
import type { Config } from "../config/Config.ts"
import type { UpstreamRequest } from "../upstream/UpstreamClient.ts"

/** An operation without its static types: one schema decodes and encodes its input. */
type RewritableOperation = Pick<AnyOperation, "id" | "method" | "path" | "parameters"> & {
  readonly input: Schema.Schema.AnyNoContext
}

type RewrittenRequest = Pick<UpstreamRequest, "input" | "request">

export const rewrite = (
  operation: RewritableOperation,
  path: Readonly<Record<string, string>>,
  query: EncodedRequest["query"],
  body: unknown,
  validation: Config["validation"]
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const received = parseRequest(operation, path, query, body)
  const rewritten = tryRewrite(operation, received)
  return validation === "strict"
    ? Either.flatMap(rewritten, (rewritten) => rejectUnknownValues(operation, rewritten))
    : Either.orElse(
      rewritten,
      (error) => tryRewrite(operation, passThroughOpenValues(operation, received, error))
    )
}

/** Rejects chains, and formats, that the description does not have. */
const rejectUnknownValues = (
  operation: RewritableOperation,
  rewritten: RewrittenRequest
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const issues = rewritten.request.query.flatMap(([written, value]) => {
    const name = written.replace(/\[\d*\]$/, "")
    const parameter = operation.parameters.find((parameter) => parameter.name === name)
    const known = parameter?.passthrough === true ? parameter.jsonSchema.examples : undefined
    const isChain = name === "chain" || name === "chains"
    return isChain && chainName(value) === undefined || known?.includes(value) === false
      ? [{ parameter: name, reason: `unknown, and validation is strict; got ${JSON.stringify(value)}` }]
      : []
  })
  return Arr.isNonEmptyArray(issues)
    ? Either.left(new InvalidInputError({ operation: operation.id, issues }))
    : Either.right(rewritten)
}

const tryRewrite = (
  operation: RewritableOperation,
  received: ParsedRequest
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const { cursor } = received.encoded
  if (typeof cursor === "string" && isResumeCursor(cursor)) {
    return Either.left(
      new InvalidInputError({
        operation: operation.id,
        issues: [{
          parameter: "cursor",
          reason:
            "this cursor belongs to the quarry library, not to the upstream; use it with the library or with /all"
        }]
      })
    )
  }
  return Either.map(decodeInput(operation, received.encoded), (input) => {
    const request = encodeRequest(operation, input)
    return { input, request: { ...request, query: [...request.query, ...received.unknownQuery] } }
  })
}

/** Moves undecodable values of open parameters to the query parameters that pass through unchanged. */
const passThroughOpenValues = (
  operation: RewritableOperation,
  received: ParsedRequest,
  error: InvalidInputError
): ParsedRequest => {
  const moved = operation.parameters.flatMap(({ in: place, jsonSchema, name, passthrough }) => {
    const value = received.encoded[name]
    // An upstream may know more words than the description of an operation that reads.
    return typeof value === "string" &&
        (passthrough || place === "query" && jsonSchema.enum !== undefined && isWord(value)) &&
        rejectsParameter(error, name) &&
        isUndecodable(operation, name, value)
      ? [[name, value] as const]
      : []
  })
  const names = new Set<string>(moved.map(([name]) => name))
  return {
    encoded: Rec.filter(received.encoded, (_, name) => !names.has(name)),
    unknownQuery: [...received.unknownQuery, ...moved]
  }
}

const isWord = (value: string): boolean => /^[a-z][a-z_-]{0,31}$/i.test(value)

const rejectsParameter = ({ issues }: InvalidInputError, name: string): boolean =>
  issues.some(({ parameter }) => parameter === name)

/** Whether a value is invalid on its own. The start date of a reversed range, for example, is valid on its own. */
const isUndecodable = (operation: RewritableOperation, name: string, value: string): boolean =>
  Either.match(decodeInput(operation, { [name]: value }), {
    onLeft: (error) => rejectsParameter(error, name),
    onRight: () => false
  })
