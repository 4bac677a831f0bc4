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
  const [deepest] = leavesOf(error.issue, []).sort((a, b) =>
    b.path.length - a.path.length || Number(isDiscriminator(a)) - Number(isDiscriminator(b))
  )
  const path =
    deepest?.path.map((step) => typeof step === "number" ? `[${step}]` : `.${String(step)}`).join("") ?? ""
  return {
    path: path.replace(/^\./, ""),
    reason: deepest === undefined ? "unexpected shape" : reasonOf(deepest)
  }
}

/** An issue without issues inside of it. */
interface Leaf {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: ParseResult.ParseIssue
}

const leavesOf = (issue: ParseResult.ParseIssue, path: Leaf["path"]): Array<Leaf> => {
  if (hasMessage(issue)) return [{ path, issue }]
  switch (issue._tag) {
    case "Pointer":
      return leavesOf(issue.issue, [...path, ...Arr.ensure(issue.path)])
    case "Composite":
      if (isDiscriminator({ path, issue })) return [{ path, issue }]
      return Arr.ensure(issue.issues).flatMap((inner) => leavesOf(inner, path))
    case "Refinement":
    case "Transformation":
      return leavesOf(issue.issue, path)
    default:
      return [{ path, issue }]
  }
}

/** A schema may have a message of its own. */
const hasMessage = (issue: ParseResult.ParseIssue): boolean =>
  "ast" in issue && Option.isSome(AST.getMessageAnnotation(issue.ast))

/** Whether an issue only says that a document is another member of a union. */
const isDiscriminator = ({ issue }: Leaf): boolean => {
  if (!("ast" in issue)) return false
  const ast = issue._tag === "Missing" ? issue.ast.type : issue.ast
  return "_tag" in ast && (ast._tag === "Literal" || ast._tag === "Union" && expectedOf(ast) !== undefined)
}

/** Messages of Effect show the types of large schemas. */
const reasonOf = ({ issue }: Leaf): string => {
  const isPlain = issue._tag === "Composite" || issue._tag === "Type" && issue.message === undefined
  const expected = isPlain && !hasMessage(issue) ? expectedOf(issue.ast) : undefined
  return expected === undefined
    ? ParseResult.ArrayFormatter.formatIssueSync(issue)[0]?.message ?? "unexpected shape"
    : `expected ${expected}, got ${formatValue(issue.actual)}`
}
