/**
 * From a received request to the one that is sent: read by the operation's descriptor, written canonically.
 *
 * Whatever spelling a client uses, the service sees one, so equal questions are equal. What the descriptor does not
 * know is passed on: unknown query parameters, and two kinds of value that the service may read where we cannot
 * (dates of formats beyond ours, and formats of token ids that are not listed).
 */
import { isWalkCursor } from "@blockquarry/core/Cursor"
import type { Parameter } from "@blockquarry/core/Operation"
import { InvalidRequest } from "@blockquarry/core/QueryError"
import { TimeInput, TimeOrSeconds } from "@blockquarry/core/Time"
import { readInput, receive, type Received, type WireRequest, writeRequest } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { AnyOperation } from "./Router.ts"

/** An operation whose types do not matter: its input is read and written by the same schema. */
type Rewritable = Pick<AnyOperation, "id" | "method" | "path" | "parameters"> & {
  readonly input: Schema.Schema.AnyNoContext
}

/** The request to send, or what is wrong with the received one. */
export const rewrite = (
  operation: Rewritable,
  path: Readonly<Record<string, string>>,
  query: WireRequest["query"],
  body: unknown
): Either.Either<WireRequest, InvalidRequest> => {
  const received = receive(operation, path, query, body)
  return attempt(operation, received).pipe(
    Either.orElse((refusal) => {
      const relaxed = passOn(operation, received, refusal)
      return relaxed === received ? Either.left(refusal) : attempt(operation, relaxed)
    })
  )
}

const attempt = (operation: Rewritable, received: Received): Either.Either<WireRequest, InvalidRequest> => {
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
    return { ...request, query: [...request.query, ...received.unknown] }
  })
}

/** Moves the values that were refused, but that the service may understand, to what is passed on as it came. */
const passOn = (operation: Rewritable, received: Received, refusal: InvalidRequest): Received => {
  const refused = new Set(refusal.issues.map(({ parameter }) => parameter))
  const moved = operation.parameters.flatMap((parameter) => {
    const value = received.written[parameter.name]
    return refused.has(parameter.name) && typeof value === "string" && isOpen(parameter, value)
      ? [[parameter.name, value] as const]
      : []
  })
  if (moved.length === 0) return received
  const names = new Set<string>(moved.map(([name]) => name))
  return {
    written: Object.fromEntries(Object.entries(received.written).filter(([name]) => !names.has(name))),
    unknown: [...received.unknown, ...moved]
  }
}

/** A reversed range is refused by the name of a date that can be read: that one is not passed on. */
const isOpen = (parameter: Parameter, value: string): boolean => {
  if (parameter.name === "format") return true
  const date = dates.get(parameter.jsonSchema["description"])
  return date !== undefined && Either.isLeft(Schema.decodeUnknownEither(date)(value))
}

/** Parameters that are dates are known by what their schema says of itself. */
const dates: ReadonlyMap<unknown, Schema.Schema.AnyNoContext> = new Map(
  [TimeInput, TimeOrSeconds].flatMap((schema) =>
    Option.match(AST.getJSONSchemaAnnotation(schema.ast), {
      onNone: () => [],
      onSome: (annotation) => "description" in annotation ? [[annotation.description, schema] as const] : []
    })
  )
)
