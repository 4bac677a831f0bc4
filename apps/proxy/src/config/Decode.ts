/** Decodes the document that a file and variables set, and describes every error. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import type * as AST from "effect/SchemaAST"
import { type Config, ConfigDocument } from "./Config.ts"
import { descriptionOf, elementOf, keysOf } from "./ConfigKey.ts"
import type { ConfigPath } from "./ConfigPath.ts"
import type { Diagnostic, SettingSource } from "./Diagnostic.ts"

/** Returns where a value, or its name, was set. */
export type Locate = (path: ConfigPath, part: "name" | "value") => SettingSource

interface Place {
  readonly path: ConfigPath
  readonly ast: AST.AST
  readonly sensitive: boolean
}

type Problem = Pick<Diagnostic, "message" | "got">

const decodeDocument = ParseResult.decodeUnknown(ConfigDocument, {
  errors: "all",
  onExcessProperty: "error"
})

export const decode = (
  document: unknown,
  locate: Locate
): Effect.Effect<Config, ReadonlyArray<Diagnostic>> => {
  const diagnostics = (issue: ParseResult.ParseIssue, place: Place): ReadonlyArray<Diagnostic> => {
    const { ast, path, sensitive } = place
    const keys = keysOf(ast)
    const inner = pointersIn(issue)
    if (inner.length === 0) return [{ source: locate(path, "value"), path, ...invalidValue(issue, place) }]
    return inner.flatMap((pointer) => {
      const [step] = Arr.ensure(pointer.path)
      const key = keys.find(({ name }) => name === step)
      const at = [...path, typeof step === "number" ? step : String(step)]
      if (key === undefined && pointer.issue._tag === "Unexpected") {
        const problem = unknownKey(String(step), keys.map(({ name }) => name), sensitive)
        return [{ source: locate(at, "name"), path, ...problem }]
      }
      const type = key?.ast ?? elementOf(ast) ?? ast
      if (pointer.issue._tag === "Missing") {
        const message = `missing required key; expected ${expected(type)}`
        return [{ source: locate(at, "value"), path: at, message }]
      }
      const isSensitive = sensitive || key?.sensitive === true
      return diagnostics(pointer.issue, { path: at, ast: type, sensitive: isSensitive })
    })
  }
  return Effect.mapError(
    decodeDocument(document),
    (issue) => diagnostics(issue, { path: [], ast: ConfigDocument.ast, sensitive: false })
  )
}

/** Returns the issues of the keys or elements of a value; none if the value itself is wrong. */
const pointersIn = (issue: ParseResult.ParseIssue): ReadonlyArray<ParseResult.Pointer> =>
  issue._tag === "Pointer" ? [issue] : issuesIn(issue).flatMap(pointersIn)

const issuesIn = (issue: ParseResult.ParseIssue): ReadonlyArray<ParseResult.ParseIssue> =>
  issue._tag === "Composite" ? Arr.ensure(issue.issues) : "issue" in issue ? [issue.issue] : []

const unknownKey = (name: string, known: ReadonlyArray<string>, isSensitive: boolean): Problem => {
  const suggestion = closestMatch(name, known)
  // Text that does not look like a name may be a misplaced secret. The position identifies the key.
  const isShown = !isSensitive && /^[A-Za-z_-]{1,32}$/.test(name)
  const message = isShown ? `unknown key "${name}"` : "unknown key"
  const hint = suggestion === undefined
    ? `expected one of: ${known.join(", ")}`
    : `did you mean ${suggestion}?`
  return { message: `${message}; ${hint}` }
}

const invalidValue = (issue: ParseResult.ParseIssue, { ast, sensitive }: Place): Problem => {
  const { actual } = issue
  const message = reason(issue) ?? `expected ${expected(ast)}`
  const isShown = !sensitive && descriptionOf(ast) !== undefined
  return {
    message,
    got: !message.startsWith("expected ") ? undefined : isShown ? quoted(actual) : typeName(actual)
  }
}

const reason = (issue: ParseResult.ParseIssue): string | undefined =>
  issue._tag === "Type"
    ? issue.message
    : issuesIn(issue).map(reason).find((text) => text !== undefined)

const expected = (ast: AST.AST): string => {
  const names = keysOf(ast).map(({ name }) => name)
  return descriptionOf(ast) ?? (names.length > 0 ? `a section with the keys ${names.join(", ")}` : "a list")
}

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "a section"
  return `a ${typeof value}`
}

/** Quotes only single words. Other text with spaces, or after a name and a colon, may be several lines joined by mistake. */
const quoted = (value: unknown): string => {
  const isWord = typeof value !== "string" || /^(?!\w{1,40}:(?!\/\/))[\x21-\x7e]{0,40}$/.test(value)
  return isWord && typeof value !== "object" ? JSON.stringify(value) : typeName(value)
}
