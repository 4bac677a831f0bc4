/**
 * Decodes the responses of an operation, or fails with the path of the first mismatch. A response that may be cached is
 * decoded once, however often it is served.
 */
import type { Operation } from "@blockquarry/core/Operation"
import type { InvalidResponseError, NotFoundError, OperationError } from "@blockquarry/core/OperationError"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type { RawResponse } from "../transport/RawResponse.ts"
import type { Complete } from "./Classification.ts"
import type { EngineResponse } from "./EngineResponse.ts"

export interface ResponseDecoder<Output> {
  readonly decode: (
    engineResponse: Pick<EngineResponse, "response" | "classification">,
    mayBeCached: boolean
  ) => Either.Either<Output, OperationError>
}

export const make = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>
): ResponseDecoder<Output> => {
  // A decoded value lives as long as its response, but at least until the next major garbage collection. Minor ones copy
  // it until then, which takes longer than decoding it, so responses that are used once are not here.
  const decoded = new WeakMap<RawResponse, Either.Either<Output, OperationError>>()
  return {
    decode: ({ response, classification: classifyResponse }, mayBeCached) => {
      const existing = mayBeCached ? decoded.get(response) : undefined
      if (existing !== undefined) return existing
      const classification = classifyResponse()
      const value: Either.Either<Output, OperationError> = classification._tag === "Complete"
        ? decode(operation, classification)
        : Either.left(classification.error)
      if (mayBeCached) decoded.set(response, value)
      return value
    }
  }
}

/** Decodes the document of a complete response. */
export const decode = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  response: Complete
): Either.Either<Output, NotFoundError | InvalidResponseError> => {
  const parsed = response.document
  if (Either.isLeft(parsed)) return Either.left(parsed.left)
  const document = parsed.right
  if (operation.isNotFound(() => document)) return Either.left(response.notFound())
  return Either.mapLeft(operation.decode(document), (error) => {
    const { message, path } = deepestIssue(ParseResult.ArrayFormatter.formatErrorSync(error))
    return response.invalidShape(document, formatPath(path), message)
  })
}

/**
 * Returns the issue with the longest path. Omits "expected null" of nullable members, which does not help.
 */
const deepestIssue = (
  issues: ReadonlyArray<ParseResult.ArrayFormatterIssue>
): Pick<ParseResult.ArrayFormatterIssue, "message" | "path"> =>
  issues.filter(({ message }) => !/^Expected (?:null|undefined),/.test(message))
    .reduce<Pick<ParseResult.ArrayFormatterIssue, "message" | "path">>(
      (deepest, issue) => issue.path.length > deepest.path.length ? issue : deepest,
      issues[0] ?? { message: "unexpected shape", path: [] }
    )

/** Formats a path, as in `result[3].value`. */
const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((step) => typeof step === "number" ? `[${step}]` : `.${String(step)}`).join("").replace(/^\./, "")
