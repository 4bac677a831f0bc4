/** The decode stage: a document as the operation's model, or a failure that says where it does not fit. */
import type { Operation } from "@blockquarry/core/Operation"
import type { InvalidResponseError, NotFoundError } from "@blockquarry/core/OperationError"
import type * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type { Classification } from "./Classification.ts"

/** Reads the document of a successful answer. */
export const decode = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  { document, notFound, invalidShape }: Data.TaggedEnum.Value<Classification, "Complete">
): Either.Either<Output, NotFoundError | InvalidResponseError> => {
  if (operation.isNotFound(document)) return Either.left(notFound())
  return Either.mapLeft(operation.decode(document), (error) => {
    const { message, path } = deepestIssue(ParseResult.ArrayFormatter.formatErrorSync(error))
    return invalidShape(formatPath(path), message)
  })
}

/**
 * Of the issues with a document, the one that is deepest inside it. A member that may be null is also refused for not
 * being null, which helps nobody.
 */
const deepestIssue = (
  issues: ReadonlyArray<ParseResult.ArrayFormatterIssue>
): Pick<ParseResult.ArrayFormatterIssue, "message" | "path"> =>
  issues.filter(({ message }) => !/^Expected (?:null|undefined),/.test(message))
    .reduce<Pick<ParseResult.ArrayFormatterIssue, "message" | "path">>(
      (deepest, issue) => issue.path.length > deepest.path.length ? issue : deepest,
      issues[0] ?? { message: "it is not of the operation's shape", path: [] }
    )

/** As in `result[3].value`. */
const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((step) => typeof step === "number" ? `[${step}]` : `.${String(step)}`).join("").replace(/^\./, "")
