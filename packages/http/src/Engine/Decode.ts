/** The decode stage: a document as the operation's model, or a failure that says where it does not fit. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { Operation } from "@blockquarry/core/Operation"
import { NotFound, type RequestCopy, ResponseInvalid } from "@blockquarry/core/QueryError"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"

/** Reads a whole document of a successful answer. */
export const decode = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  request: RequestCopy,
  document: JsonValue
): Either.Either<Output, NotFound | ResponseInvalid> => {
  const facts = { operation: operation.id, request, status: 200, detail: null, body: "" }
  if (operation.absent(document)) {
    return Either.left(new NotFound({ ...facts, detail: "the answer is empty" }))
  }
  return operation.decode(document).pipe(
    Either.mapLeft((error) => {
      const { message, path } = mostTelling(ParseResult.ArrayFormatter.formatErrorSync(error))
      return new ResponseInvalid({
        ...facts,
        path: formatPath(path),
        problem: message.slice(0, longestProblem),
        mayHaveTakenEffect: operation.repeat !== "always"
      })
    })
  )
}

const longestProblem = 300

/**
 * Of the issues with a document, the one that is deepest inside it. A member that may be null is also refused for not
 * being null, which helps nobody.
 */
const mostTelling = (
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
