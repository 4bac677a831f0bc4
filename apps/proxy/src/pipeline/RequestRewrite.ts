/**
 * From a received request to the one that is sent: read by the operation's descriptor, written canonically.
 *
 * Whatever spelling a client uses, the service sees one, so equal questions are equal. What the descriptor does not
 * know is passed on: unknown query parameters, and values that we cannot read of parameters that are open.
 */
import { isResumeCursor } from "@blockquarry/core/Cursor"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { InvalidInputError } from "@blockquarry/core/OperationError"
import {
  decodeInput,
  type EncodedRequest,
  encodeRequest,
  type ParsedRequest,
  parseRequest
} from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"

/** An operation whose types do not matter: its input is read and written by the same schema. */
type RewritableOperation = Pick<AnyOperation, "id" | "method" | "path" | "parameters"> & {
  readonly input: Schema.Schema.AnyNoContext
}

/** What was asked: the request to send, and the input that it was read as. */
export interface RewrittenRequest {
  readonly request: EncodedRequest
  readonly input: unknown
}

/** The request to send, or what is wrong with the received one. */
export const rewrite = (
  operation: RewritableOperation,
  path: Readonly<Record<string, string>>,
  query: EncodedRequest["query"],
  body: unknown
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const received = parseRequest(operation, path, query, body)
  return tryRewrite(operation, received).pipe(
    Either.orElse((error) => {
      const relaxed = passThroughOpenValues(operation, received, error)
      return relaxed === received ? Either.left(error) : tryRewrite(operation, relaxed)
    })
  )
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
            "this cursor continues a walk of the quarry library, not a list of the service; resume it there"
        }]
      })
    )
  }
  return Either.map(decodeInput(operation, received.encoded), (input) => {
    const request = encodeRequest(operation, input)
    return { input, request: { ...request, query: [...request.query, ...received.unknownQuery] } }
  })
}

/** Moves the values that were refused, but that the service may understand, to what is passed on as it came. */
const passThroughOpenValues = (
  operation: RewritableOperation,
  received: ParsedRequest,
  error: InvalidInputError
): ParsedRequest => {
  const moved = operation.parameters.flatMap(({ name, passthrough }) => {
    const value = received.encoded[name]
    return passthrough && typeof value === "string" && rejectsParameter(error, name) &&
        isUndecodable(operation, name, value)
      ? [[name, value] as const]
      : []
  })
  if (moved.length === 0) return received
  const remaining = new Map(Object.entries(received.encoded))
  for (const [name] of moved) remaining.delete(name)
  return { encoded: Object.fromEntries(remaining), unknownQuery: [...received.unknownQuery, ...moved] }
}

const rejectsParameter = (error: InvalidInputError, name: string): boolean =>
  error.issues.some(({ parameter }) => parameter === name)

/** A value is unreadable where it is refused alone as well: the date that begins a reversed range is not. */
const isUndecodable = (operation: RewritableOperation, name: string, value: string): boolean =>
  Either.match(decodeInput(operation, { [name]: value }), {
    onLeft: (error) => rejectsParameter(error, name),
    onRight: () => false
  })
