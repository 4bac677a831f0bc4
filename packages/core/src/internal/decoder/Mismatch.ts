import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"
import { expectedOf, formatValue } from "../scalar.ts"

/**
 * Where a document does not fit its schema, as in `result[3].value`, and why. The path is empty for the document as a whole.
 */
export interface Mismatch {
  readonly path: string
  readonly reason: string
}

/** Returns the deepest mismatch of an error, the first of several. The reason may quote the document. */
export const mismatchOf = (error: ParseResult.ParseError): Mismatch => {
  const [deepest] = leavesOf(error.issue).sort((a, b) =>
    b.path.length - a.path.length || Number(isDiscriminator(a.issue)) - Number(isDiscriminator(b.issue))
  )
  const path = deepest.path.map((step) => typeof step === "number" ? `[${step}]` : `.${String(step)}`).join(
    ""
  )
  return { path: path.replace(/^\./, ""), reason: reasonOf(deepest.issue) }
}

/** An issue without issues inside of it, or whose message replaces theirs. */
export interface IssueLeaf {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: ParseResult.ParseIssue
}

/** Returns the leaves of an issue, in their order. */
export const leavesOf = (
  issue: ParseResult.ParseIssue,
  path: IssueLeaf["path"] = []
): Arr.NonEmptyArray<IssueLeaf> => {
  if (issue._tag === "Pointer") return leavesOf(issue.issue, [...path, ...Arr.ensure(issue.path)])
  const inner = isDiscriminator(issue) || hasMessage(issue)
    ? []
    : "issues" in issue
    ? Arr.ensure(issue.issues)
    : "issue" in issue
    ? [issue.issue]
    : []
  return Arr.isNonEmptyReadonlyArray(inner)
    ? Arr.flatMap(inner, (each) => leavesOf(each, path))
    : [{ path, issue }]
}

/** Whether the message of its schema replaces those of the issues inside of an issue. */
const hasMessage = (issue: ParseResult.ParseIssue): boolean =>
  "ast" in issue && Option.isSome(AST.getMessageAnnotation(issue.ast)) && !messageOf(issue).includes("\n")

const messageOf = ParseResult.TreeFormatter.formatIssueSync

/** Whether an issue only says that a document is another member of a union. */
const isDiscriminator = (issue: ParseResult.ParseIssue): boolean => {
  if (!("ast" in issue)) return false
  const ast = issue._tag === "Missing" ? issue.ast.type : issue.ast
  return "_tag" in ast && (ast._tag === "Literal" || ast._tag === "Union" && expectedOf(ast) !== undefined)
}

/** Returns the reason of a leaf. Messages of Effect show the types of large schemas. */
export const reasonOf = (issue: ParseResult.ParseIssue): string => {
  const isPlain = issue._tag === "Composite" || issue._tag === "Type" && issue.message === undefined
  const expected = isPlain && !hasMessage(issue) ? expectedOf(issue.ast) : undefined
  return expected === undefined ? messageOf(issue) : `expected ${expected}, got ${formatValue(issue.actual)}`
}
