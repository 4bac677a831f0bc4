/** Reads a document by its schema, and says everything that is wrong with it in words for people. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"
import * as ConfigPath from "./ConfigPath.ts"
import { ConfigDocument, SensitiveAnnotation } from "./ConfigSchema.ts"
import type { ConfigIssue } from "./Diagnostic.ts"
import * as SchemaFields from "./SchemaFields.ts"
import { closestName } from "./Suggestions.ts"

const decodeUnknown = ParseResult.decodeUnknownEither(ConfigDocument, {
  errors: "all",
  onExcessProperty: "error"
})

/** What the document says, or everything that is wrong with it. */
export const decodeDocument = (value: unknown): Either.Either<ConfigDocument, ReadonlyArray<ConfigIssue>> =>
  Either.mapLeft(
    decodeUnknown(withEmptySections(value, SchemaFields.documentFields)),
    (issue) => issuesOf(issue, rootPosition)
  )

/** Everything that is wrong with a document. */
export const issuesIn = (value: unknown): ReadonlyArray<ConfigIssue> =>
  Either.match(decodeDocument(value), { onLeft: (found) => found, onRight: () => [] })

/** The same without what is wrong with it, so that the rest can be looked at too. */
export const withoutInvalid = (value: unknown, issues: ReadonlyArray<ConfigIssue>): unknown =>
  issues.map((finding) => finding.removable ? finding.path : enclosingPath(finding)).reduce<unknown>(
    (remaining, path) => path.length === 0 ? {} : ConfigPath.removeAt(remaining, path),
    ConfigPath.isRecord(value) ? value : {}
  )

/** What cannot be relied on. */
export const invalidPaths = (issues: ReadonlyArray<ConfigIssue>): ReadonlyArray<ConfigPath.ConfigPath> =>
  issues.filter(({ removable }) => !removable).map(enclosingPath)

/** Of a list of sections nothing is sound where one is not, lest the others change their places. */
const enclosingPath = ({ missing, part, path }: ConfigIssue): ConfigPath.ConfigPath => {
  const section = missing || part === "name" ? path.slice(0, -1) : path
  const list = section.findIndex((step) => typeof step === "number")
  return list === -1 ? section : section.slice(0, list)
}

/** A section of which every line is commented out is written, and says nothing. */
const withEmptySections = (value: unknown, fields: ReadonlyArray<SchemaFields.SettingField>): unknown => {
  if (value === null) return {}
  if (!ConfigPath.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, raw]) => {
      const inner = fields.find((field) => field.name === name)?.kind ?? { _tag: "Value" }
      if (inner._tag === "Value") return [name, raw]
      if (inner._tag === "Section") return [name, withEmptySections(raw, inner.fields)]
      return [name, raw ?? []]
    })
  )
}

interface DecodePosition {
  readonly path: ConfigPath.ConfigPath
  readonly sensitive: boolean
  /** What is read here, as far as issues do not say it themselves. */
  readonly ast: AST.AST
}

const rootPosition: DecodePosition = { path: [], sensitive: false, ast: ConfigDocument.ast }

const issuesOf = (issue: ParseResult.ParseIssue, position: DecodePosition): ReadonlyArray<ConfigIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return issuesAtPointer(issue, position)
    case "Missing":
    case "Unexpected":
    case "Forbidden":
      return [invalidValueIssue(issue, position, position.ast)]
    case "Type":
      return [invalidValueIssue(issue, position, issue.ast)]
    case "Composite": {
      if (isValue(issue.ast)) return [invalidValueIssue(issue, position, issue.ast)]
      const all = "_tag" in issue.issues ? [issue.issues] : issue.issues
      const within = { ...position, ast: issue.ast }
      return (issue.ast._tag === "Union" ? intendedBranch(all, issue.actual) : all)
        .flatMap((inner) => issuesOf(inner, within))
    }
    case "Refinement":
    case "Transformation":
      return isValue(issue.ast) || issue.kind !== "From"
        ? [invalidValueIssue(issue, position, issue.ast)]
        : issuesOf(issue.issue, { ...position, ast: issue.ast })
  }
}

/** Values are described as a whole: what is wrong inside them is not people's concern. */
const isValue = (ast: AST.AST): boolean => Option.isSome(AST.getDescriptionAnnotation(ast))

/** Of alternatives, the one that was meant: a section is no wrong word, and a word no wrong section. */
const intendedBranch = (
  issues: ReadonlyArray<ParseResult.ParseIssue>,
  actual: unknown
): ReadonlyArray<ParseResult.ParseIssue> => {
  const isSection = (issue: ParseResult.ParseIssue) =>
    "ast" in issue && issue._tag !== "Missing" && SchemaFields.sectionOf(issue.ast) !== undefined
  const fitting = issues.filter((issue) => isSection(issue) === ConfigPath.isRecord(actual))
  return (fitting.length === 0 ? issues : fitting).slice(0, 1)
}

const issuesAtPointer = (
  { issue, path }: ParseResult.Pointer,
  position: DecodePosition
): ReadonlyArray<ConfigIssue> => {
  const [step] = typeof path === "object" ? path : [path]
  const name = typeof step === "number" ? step : String(step)
  const signature = SchemaFields.sectionOf(position.ast)?.propertySignatures.find((known) =>
    known.name === name
  )
  const inner: DecodePosition = {
    path: [...position.path, name],
    sensitive: position.sensitive || signature?.annotations[SensitiveAnnotation] === true,
    ast: signature?.type ?? position.ast
  }
  switch (issue._tag) {
    case "Unexpected":
      return [unknownKeyIssue(String(name), position)]
    case "Missing":
      return [{
        path: inner.path,
        part: "value",
        hidden: false,
        removable: false,
        missing: true,
        message: `it is missing; expected ${expected(signature?.type ?? issue.ast.type)}`,
        found: undefined,
        suggestion: undefined
      }]
    default:
      return issuesOf(issue, inner)
  }
}

const unknownKeyIssue = (name: string, { ast, sensitive, path }: DecodePosition): ConfigIssue => {
  const known = SchemaFields.fieldsOf(ast).map((field) => field.name)
  const suggestion = closestName(name, known) ?? (sensitive ? undefined : pathInOtherSection(name))
  return {
    path: [...path, name],
    part: "name",
    // What is hardly a name may be a secret that was put into the wrong place. The line tells which one it is.
    hidden: sensitive || !/^[A-Za-z_-]{1,32}$/.test(name),
    removable: !sensitive,
    missing: false,
    message: suggestion === undefined
      ? `there is no such setting; here ${known.length === 1 ? "is" : "are"} ${joinNames(known)}`
      : "there is no such setting",
    found: undefined,
    suggestion
  }
}

/** The right name in the wrong section. */
const pathInOtherSection = (name: string): string | undefined => {
  const search = (fields: ReadonlyArray<SchemaFields.SettingField>, before: string): string | undefined => {
    for (const field of fields) {
      const path = before + field.name
      if (field.name.toLowerCase() === name.toLowerCase()) return path
      const inside = field.kind._tag === "Value"
        ? undefined
        : search(field.kind.fields, `${path}${field.kind._tag === "Section" ? "." : "[]."}`)
      if (inside !== undefined) return inside
    }
    return undefined
  }
  return search(SchemaFields.documentFields, "")
}

const invalidValueIssue = (
  issue: ParseResult.ParseIssue,
  { sensitive, path }: DecodePosition,
  ast: AST.AST
): ConfigIssue => ({
  path,
  part: "value",
  hidden: false,
  removable: false,
  missing: false,
  message: customMessage(issue) ?? `expected ${expected(ast)}`,
  found: sensitive || !isValue(ast) ? describeKind(issue.actual) : displayValue(issue.actual),
  suggestion: typeof issue.actual === "string" && !sensitive
    ? closestName(issue.actual, literalValues(ast))
    : undefined
})

/** What the value's own check says. */
const customMessage = (issue: ParseResult.ParseIssue): string | undefined =>
  issue._tag === "Type"
    ? issue.message
    : issue._tag === "Refinement" || issue._tag === "Transformation"
    ? customMessage(issue.issue)
    : undefined

const expected = (ast: AST.AST): string =>
  describedAs(ast) ?? (ast._tag === "Union"
    ? ast.types.map(describedAs).find((text) => text !== undefined)
    : undefined) ??
    describeStructure(ast)

const describedAs = (ast: AST.AST): string | undefined =>
  Option.getOrUndefined(
    Option.orElse(AST.getDescriptionAnnotation(ast), () => AST.getTitleAnnotation(ast))
  )

const describeStructure = (ast: AST.AST): string => {
  const section = SchemaFields.sectionOf(ast)
  if (section !== undefined) {
    return describedAs(section) ??
      `a section with ${joinNames(SchemaFields.fieldsOf(section).map(({ name }) => name))}`
  }
  return ast._tag === "Refinement" ? expected(ast.from) : "a list"
}

const literalValues = (ast: AST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "Literal":
      return typeof ast.literal === "string" ? [ast.literal] : []
    case "Union":
      return ast.types.flatMap(literalValues)
    default:
      return []
  }
}

const joinNames = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`

const describeKind = (value: unknown): string => {
  if (value === null || value === undefined) return "nothing"
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "a section"
  return typeof value === "string" ? "text" : `a ${typeof value === "boolean" ? "flag" : typeof value}`
}

/** As it is written, if that is a word: what is more, or has a name before it, may be lines run into each other. */
const displayValue = (value: unknown): string => {
  if (typeof value === "string") {
    return /^(?!\w+:(?!\/\/))[\x21-\x7e]{0,40}$/.test(value)
      ? JSON.stringify(value)
      : describeKind(value)
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeKind(value)
}
