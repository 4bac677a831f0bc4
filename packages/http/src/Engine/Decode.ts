/** The decode stage: a document as the operation's model, or a failure that says where it does not fit. */
import type { Operation } from "@blockquarry/core/Operation"
import type { NotFound, ResponseInvalid } from "@blockquarry/core/QueryError"
import type * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type { Verdict } from "../Verdict.ts"

/** Reads the document of a successful answer. */
export const decode = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  { document, missing, unfit }: Data.TaggedEnum.Value<Verdict, "Whole">
): Either.Either<Output, NotFound | ResponseInvalid> => {
  if (operation.absent(document)) return Either.left(missing())
  return Either.mapLeft(operation.decode(document), (error) => {
    const { message, path } = mostTelling(ParseResult.ArrayFormatter.formatErrorSync(error))
    return unfit(formatPath(path), message)
  })
}

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
