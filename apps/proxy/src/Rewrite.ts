/**
 * From a received request to the one that is sent: read by the operation's descriptor, written canonically.
 *
 * Whatever spelling a client uses, the service sees one, so equal questions are equal. What the descriptor does not
 * know is passed on: unknown query parameters, and values that we cannot read of parameters that are open.
 */
import { isWalkCursor } from "@blockquarry/core/Cursor"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { InvalidRequest } from "@blockquarry/core/QueryError"
import { readInput, receive, type Received, type WireRequest, writeRequest } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"

/** An operation whose types do not matter: its input is read and written by the same schema. */
type Rewritable = Pick<AnyOperation, "id" | "method" | "path" | "parameters"> & {
  readonly input: Schema.Schema.AnyNoContext
}

/** What was asked: the request to send, and the input that it was read as. */
export interface Rewritten {
  readonly request: WireRequest
  readonly input: unknown
}

/** The request to send, or what is wrong with the received one. */
export const rewrite = (
  operation: Rewritable,
  path: Readonly<Record<string, string>>,
  query: WireRequest["query"],
  body: unknown
): Either.Either<Rewritten, InvalidRequest> => {
  const received = receive(operation, path, query, body)
  return attempt(operation, received).pipe(
    Either.orElse((refusal) => {
      const relaxed = passOn(operation, received, refusal)
      return relaxed === received ? Either.left(refusal) : attempt(operation, relaxed)
    })
  )
}

const attempt = (operation: Rewritable, received: Received): Either.Either<Rewritten, InvalidRequest> => {
  const { cursor } = received.written
  if (typeof cursor === "string" && isWalkCursor(cursor)) {
    return Either.left(
      new InvalidRequest({
        operation: operation.id,
        issues: [{
          parameter: "cursor",
          problem:
            "this cursor continues a walk of the quarry library, not a list of the service; resume it there"
        }]
      })
    )
  }
  return Either.map(readInput(operation, received.written), (input) => {
    const request = writeRequest(operation, input)
    return { input, request: { ...request, query: [...request.query, ...received.unknown] } }
  })
}

/** Moves the values that were refused, but that the service may understand, to what is passed on as it came. */
const passOn = (operation: Rewritable, received: Received, refusal: InvalidRequest): Received => {
  const moved = operation.parameters.flatMap(({ name, open }) => {
    const value = received.written[name]
    return open && typeof value === "string" && names(refusal, name) && isUnreadable(operation, name, value)
      ? [[name, value] as const]
      : []
  })
  if (moved.length === 0) return received
  const left = new Map(Object.entries(received.written))
  for (const [name] of moved) left.delete(name)
  return { written: Object.fromEntries(left), unknown: [...received.unknown, ...moved] }
}

const names = (refusal: InvalidRequest, name: string): boolean =>
  refusal.issues.some(({ parameter }) => parameter === name)

/** A value is unreadable where it is refused alone as well: the date that begins a reversed range is not. */
const isUnreadable = (operation: Rewritable, name: string, value: string): boolean =>
  Either.match(readInput(operation, { [name]: value }), {
    onLeft: (refusal) => names(refusal, name),
    onRight: () => false
  })
