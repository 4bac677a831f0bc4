/** The decode stage: decodes a document as the operation's output, or fails with the path of the first mismatch. */
import type { Operation } from "@blockquarry/core/Operation"
import type { InvalidResponseError, NotFoundError } from "@blockquarry/core/OperationError"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type { Complete } from "./Classification.ts"

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
