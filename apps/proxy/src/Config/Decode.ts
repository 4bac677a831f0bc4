/** Reads a document by its schema, and says everything that is wrong with it in words for people. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"
import { DiscreetId, Document } from "./Document.ts"
import * as Outline from "./Outline.ts"
import * as Path from "./Path.ts"
import type { Finding } from "./Problem.ts"
import { nearest } from "./Suggest.ts"

const parse = ParseResult.decodeUnknownEither(Document, { errors: "all", onExcessProperty: "error" })

/** What the document says, or everything that is wrong with it. */
export const decode = (value: unknown): Either.Either<Document, ReadonlyArray<Finding>> =>
  Either.mapLeft(parse(filled(value, Outline.document)), (issue) => findings(issue, start))

/** Everything that is wrong with a document. */
export const wrong = (value: unknown): ReadonlyArray<Finding> =>
  Either.match(decode(value), { onLeft: (found) => found, onRight: () => [] })

/** The same without what is wrong with it, so that the rest can be looked at too. */
export const sound = (value: unknown, wrong: ReadonlyArray<Finding>): unknown =>
  wrong.map((finding) => finding.spare ? finding.path : whole(finding)).reduce<unknown>(
    (left, path) => path.length === 0 ? {} : Path.remove(left, path),
    Path.isRecord(value) ? value : {}
  )

/** What cannot be relied on. */
export const broken = (wrong: ReadonlyArray<Finding>): ReadonlyArray<Path.Path> =>
  wrong.filter(({ spare }) => !spare).map(whole)

/** Of a list of sections nothing is sound where one is not, lest the others change their places. */
const whole = ({ missing, part, path }: Finding): Path.Path => {
  const section = missing || part === "name" ? path.slice(0, -1) : path
  const list = section.findIndex((step) => typeof step === "number")
  return list === -1 ? section : section.slice(0, list)
}

/** A section of which every line is commented out is written, and says nothing. */
const filled = (value: unknown, fields: ReadonlyArray<Outline.Field>): unknown => {
  if (value === null) return {}
  if (!Path.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, written]) => {
      const inner = fields.find((field) => field.name === name)?.inner ?? { _tag: "Value" }
      if (inner._tag === "Value") return [name, written]
      if (inner._tag === "Section") return [name, filled(written, inner.fields)]
      return [name, written ?? []]
    })
  )
}

interface At {
  readonly path: Path.Path
  readonly discreet: boolean
  /** What is read here, as far as issues do not say it themselves. */
  readonly ast: AST.AST
}

const start: At = { path: [], discreet: false, ast: Document.ast }

const findings = (issue: ParseResult.ParseIssue, at: At): ReadonlyArray<Finding> => {
  switch (issue._tag) {
    case "Pointer":
      return pointed(issue, at)
    case "Missing":
    case "Unexpected":
    case "Forbidden":
      return [misfit(issue, at, at.ast)]
    case "Type":
      return [misfit(issue, at, issue.ast)]
    case "Composite": {
      if (isValue(issue.ast)) return [misfit(issue, at, issue.ast)]
      const all = "_tag" in issue.issues ? [issue.issues] : issue.issues
      const within = { ...at, ast: issue.ast }
      return (issue.ast._tag === "Union" ? meant(all, issue.actual) : all)
        .flatMap((inner) => findings(inner, within))
    }
    case "Refinement":
    case "Transformation":
      return isValue(issue.ast) || issue.kind !== "From"
        ? [misfit(issue, at, issue.ast)]
        : findings(issue.issue, { ...at, ast: issue.ast })
  }
}

/** Values are described as a whole: what is wrong inside them is not people's concern. */
const isValue = (ast: AST.AST): boolean => Option.isSome(AST.getDescriptionAnnotation(ast))

/** Of alternatives, the one that was meant: a section is no wrong word, and a word no wrong section. */
const meant = (
  issues: ReadonlyArray<ParseResult.ParseIssue>,
  actual: unknown
): ReadonlyArray<ParseResult.ParseIssue> => {
  const isSection = (issue: ParseResult.ParseIssue) =>
    "ast" in issue && issue._tag !== "Missing" && Outline.section(issue.ast) !== undefined
  const fitting = issues.filter((issue) => isSection(issue) === Path.isRecord(actual))
  return (fitting.length === 0 ? issues : fitting).slice(0, 1)
}

const pointed = ({ issue, path }: ParseResult.Pointer, at: At): ReadonlyArray<Finding> => {
  const [step] = typeof path === "object" ? path : [path]
  const name = typeof step === "number" ? step : String(step)
  const signature = Outline.section(at.ast)?.propertySignatures.find((known) => known.name === name)
  const inner: At = {
    path: [...at.path, name],
    discreet: at.discreet || signature?.annotations[DiscreetId] === true,
    ast: signature?.type ?? at.ast
  }
  switch (issue._tag) {
    case "Unexpected":
      return [unknown(String(name), at)]
    case "Missing":
      return [{
        path: inner.path,
        part: "value",
        hidden: false,
        spare: false,
        missing: true,
        problem: `it is missing; expected ${expected(signature?.type ?? issue.ast.type)}`,
        found: undefined,
        suggestion: undefined
      }]
    default:
      return findings(issue, inner)
  }
}

const unknown = (name: string, { ast, discreet, path }: At): Finding => {
  const known = Outline.fieldsOf(ast).map((field) => field.name)
  const suggestion = nearest(name, known) ?? (discreet ? undefined : elsewhere(name))
  return {
    path: [...path, name],
    part: "name",
    // What is hardly a name may be a secret that was put into the wrong place. The line tells which one it is.
    hidden: discreet || !/^[A-Za-z_-]{1,32}$/.test(name),
    spare: !discreet,
    missing: false,
    problem: suggestion === undefined
      ? `there is no such setting; here ${known.length === 1 ? "is" : "are"} ${listed(known)}`
      : "there is no such setting",
    found: undefined,
    suggestion
  }
}

/** The right name in the wrong section. */
const elsewhere = (name: string): string | undefined => {
  const search = (fields: ReadonlyArray<Outline.Field>, before: string): string | undefined => {
    for (const field of fields) {
      const path = before + field.name
      if (field.name.toLowerCase() === name.toLowerCase()) return path
      const inside = field.inner._tag === "Value"
        ? undefined
        : search(field.inner.fields, `${path}${field.inner._tag === "Section" ? "." : "[]."}`)
      if (inside !== undefined) return inside
    }
    return undefined
  }
  return search(Outline.document, "")
}

const misfit = (issue: ParseResult.ParseIssue, { discreet, path }: At, ast: AST.AST): Finding => ({
  path,
  part: "value",
  hidden: false,
  spare: false,
  missing: false,
  problem: reason(issue) ?? `expected ${expected(ast)}`,
  found: discreet || !isValue(ast) ? kind(issue.actual) : shown(issue.actual),
  suggestion: typeof issue.actual === "string" && !discreet ? nearest(issue.actual, words(ast)) : undefined
})

/** What the value's own check says. */
const reason = (issue: ParseResult.ParseIssue): string | undefined =>
  issue._tag === "Type"
    ? issue.message
    : issue._tag === "Refinement" || issue._tag === "Transformation"
    ? reason(issue.issue)
    : undefined

const expected = (ast: AST.AST): string =>
  said(ast) ?? (ast._tag === "Union" ? ast.types.map(said).find((text) => text !== undefined) : undefined) ??
    structure(ast)

const said = (ast: AST.AST): string | undefined =>
  Option.getOrUndefined(
    Option.orElse(AST.getDescriptionAnnotation(ast), () => AST.getTitleAnnotation(ast))
  )

const structure = (ast: AST.AST): string => {
  const section = Outline.section(ast)
  if (section !== undefined) {
    return said(section) ?? `a section with ${listed(Outline.fieldsOf(section).map(({ name }) => name))}`
  }
  return ast._tag === "Refinement" ? expected(ast.from) : "a list"
}

const words = (ast: AST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "Literal":
      return typeof ast.literal === "string" ? [ast.literal] : []
    case "Union":
      return ast.types.flatMap(words)
    default:
      return []
  }
}

const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`

const kind = (value: unknown): string => {
  if (value === null || value === undefined) return "nothing"
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "a section"
  return typeof value === "string" ? "text" : `a ${typeof value === "boolean" ? "flag" : typeof value}`
}

/** As it is written, if that is a word: what is more, or has a name before it, may be lines run into each other. */
const shown = (value: unknown): string => {
  if (typeof value === "string") {
    return /^(?!\w+:(?!\/\/))[\x21-\x7e]{0,40}$/.test(value)
      ? JSON.stringify(value)
      : kind(value)
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : kind(value)
}
