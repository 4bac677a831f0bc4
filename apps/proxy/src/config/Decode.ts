/** Decodes what a file and variables set, key by key, and describes every error. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { ConfigDocument, keys } from "./Config.ts"
import { type ConfigKey, descriptionOf, elementOf, flatten, keysOf } from "./ConfigKey.ts"
import { type ConfigPath, format, get, isMapping } from "./ConfigPath.ts"
import type { Diagnostic, SettingSource } from "./Diagnostic.ts"
import * as Variables from "./EnvironmentVariables.ts"

/** Returns where a value, or its name, is in the file. */
export type Locate = (path: ConfigPath, part: "name" | "value") => SettingSource

interface DocumentLocation {
  readonly path: ConfigPath
  readonly ast: AST.AST
  readonly sensitive: boolean
  /** The variable that the value is from; otherwise it is from the file. */
  readonly variable?: Variables.VariableBinding & Pick<Diagnostic, "source" | "path">
}

type Problem = Pick<Diagnostic, "message" | "got" | "suggestion">

/** Returns the document, in which keys with errors have their defaults. */
export const decode = (written: unknown, locate: Locate, sources: Variables.ConfigSources) => {
  const diagnostics: Array<Diagnostic> = []
  /** The paths whose values are unknown because of errors. */
  const invalidPaths: Array<ConfigPath> = []
  /** The variables that set the keys at paths. */
  const variables = new Map<string, SettingSource>()

  const report = ({ path, variable }: DocumentLocation, problem: Problem, source = locate(path, "value")) =>
    void diagnostics.push({ source: variable?.source ?? source, path, ...problem })

  /** Returns the value if it is valid, and otherwise reports it and returns `undefined`. */
  const checked = (location: DocumentLocation, written: unknown): unknown => {
    const errors = invalidPaths.length
    const keys = keysOf(location.ast)
    const ast = elementOf(location.ast)
    const value = ast !== undefined && Array.isArray(written)
      ? written.map((element: unknown, index) =>
        checked({ ...location, ast, path: [...location.path, index] }, element)
      )
      : keys.length > 0 && isMapping(written)
      ? section(location, keys, written)
      : written
    // Elements keep their indices, so without one of them the list is invalid.
    if (Array.isArray(value) && value.includes(undefined)) return undefined
    const result = Schema.decodeUnknownEither(Schema.make(location.ast))(value)
    if (Either.isRight(result)) return value
    if (invalidPaths.length === errors) {
      invalidPaths.push(location.path)
      report(location, invalidValue(location, value, result.left.issue))
    }
    return undefined
  }

  /** Returns the valid values of a section. `isAbsent`: only variables set its keys. */
  const section = (
    location: DocumentLocation,
    keys: ReadonlyArray<ConfigKey>,
    written: Readonly<Record<string, unknown>>,
    isAbsent = false
  ): Readonly<Record<string, unknown>> => {
    const known = keys.map(({ name }) => name)
    for (const name of Object.keys(written).filter((name) => !known.includes(name))) {
      if (location.sensitive) invalidPaths.push(location.path)
      report(location, unknownKey(name, known, location.sensitive), locate([...location.path, name], "name"))
    }
    return Object.fromEntries(keys.flatMap((key) => {
      const path = [...location.path, key.name]
      const inner = {
        ...location,
        path,
        ast: key.ast,
        sensitive: location.sensitive || key.sensitive === true
      }
      const inFile = get(written, [key.name])
      const fromFile = fileValue(inner, key, inFile)
      const fromVariable = location.variable === undefined ? variableValueOf(inner, key) : undefined
      if (key.isRequired && !isAbsent && fromVariable === undefined && inFile === undefined) {
        invalidPaths.push(location.path)
        report(inner, { message: `missing required key; expected ${expected(key.ast)}` })
      }
      const value = key.kind === "section" && isMapping(fromFile) && isMapping(fromVariable)
        ? { ...fromFile, ...fromVariable }
        : fromVariable ?? fromFile
      return value === undefined ? [] : [[key.name, value]]
    }))
  }

  const fileValue = (location: DocumentLocation, { keys, kind }: ConfigKey, written: unknown): unknown => {
    if (kind === "section" && written === undefined) {
      const value = section(location, keys, {}, true)
      return Object.keys(value).length === 0 ? undefined : value
    }
    // A section whose lines are all commented out is null in YAML.
    const empty = kind === "section" ? {} : kind === "list" ? [] : null
    return written === undefined ? undefined : checked(location, written ?? empty)
  }

  const variableValueOf = (location: DocumentLocation, { kind, variable }: ConfigKey): unknown => {
    const text = variable === undefined ? undefined : Variables.variableValue(variable.name, sources)
    if (variable === undefined || text === undefined) return undefined
    const source = Variables.variableSource(variable.name, sources, variable.option)
    const from = { ...variable, source, path: location.path }
    const value = checked({ ...location, variable: from }, variable.parse(text))
    const names = kind === "section" && isMapping(value) ? Object.keys(value) : []
    for (const path of [location.path, ...names.map((name) => [...location.path, name])]) {
      if (value !== undefined) variables.set(format(path), source)
    }
    return value
  }

  const root: DocumentLocation = { path: [], ast: ConfigDocument.ast, sensitive: false }
  if (!isMapping(written)) checked(root, written)
  const valid = section(root, keys, isMapping(written) ? written : {})
  const document = Schema.decodeUnknownSync(ConfigDocument)(valid)
  return { document, diagnostics, invalidPaths, variables }
}

const unknownKey = (name: string, known: ReadonlyArray<string>, isSensitive: boolean): Problem => {
  const elsewhere = flatten(keys).find((key) => key.name.toLowerCase() === name.toLowerCase())
  const suggestion = closestMatch(name, known) ?? (isSensitive ? undefined : elsewhere?.path.join("."))
  // Text that does not look like a name may be a misplaced secret. The position identifies the key.
  const isShown = !isSensitive && /^[A-Za-z_-]{1,32}$/.test(name)
  const message = isShown ? `unknown key "${name}"` : "unknown key"
  return suggestion === undefined
    ? { message: `${message}; expected one of: ${known.join(", ")}` }
    : { message, suggestion }
}

const invalidValue = (location: DocumentLocation, value: unknown, issue: ParseResult.ParseIssue): Problem => {
  const { ast, path, sensitive, variable } = location
  const variableExpected = variable?.path.length === path.length ? variable.expected : undefined
  const message = variableExpected ?? reason(issue) ?? `expected ${expected(ast)}`
  const isShown = !sensitive && descriptionOf(ast) !== undefined
  return {
    message,
    got: !message.startsWith("expected ") ? undefined : isShown ? quoted(value) : typeName(value),
    suggestion: isShown && typeof value === "string"
      ? closestMatch(value, words(ast)) ?? shortened(ast, value)
      : undefined
  }
}

const reason = (issue: ParseResult.ParseIssue): string | undefined => {
  if (issue._tag === "Type") return issue.message
  if (issue._tag === "Refinement" || issue._tag === "Transformation") return reason(issue.issue)
  if (issue._tag !== "Composite") return undefined
  const issues = "_tag" in issue.issues ? [issue.issues] : issue.issues
  return issues.map(reason).find((text) => text !== undefined)
}

const expected = (ast: AST.AST): string => {
  const names = keysOf(ast).map(({ name }) => name)
  return descriptionOf(ast) ?? (names.length > 0 ? `a section with the keys ${names.join(", ")}` : "a list")
}

const words = (ast: AST.AST): ReadonlyArray<string> =>
  AST.isUnion(ast) ? ast.types.flatMap(words) : AST.isLiteral(ast) ? [String(ast.literal)] : []

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "a section"
  return `a ${typeof value}`
}

/** A number with a unit, such as `2 s`, `64 MiB`, `100 / s`, `5 seconds` or `50 per second`. */
const isMeasure = (text: string): boolean =>
  /^\d[\d ./]{0,20}([A-Za-z]{0,3}|(per )?(second|minute|hour|day)s?)$/.test(text)

/** Returns a number with a unit in its short form, such as `50/s` for `50 per second`, if it is valid. */
const shortened = (ast: AST.AST, text: string): string | undefined => {
  const compact = text.replace("per ", "/").replace(/(?<=[smhd])(econd|inute|our|ay)s?$/, "").replaceAll(
    " ",
    ""
  )
  const isValid = isMeasure(text) && Either.isRight(Schema.decodeUnknownEither(Schema.make(ast))(compact))
  return isValid ? compact : undefined
}

/**
 * Quotes only single words, and numbers with units. Other text with spaces, or text after a name and a colon, may be several
 * lines joined by mistake.
 */
const quoted = (value: unknown): string => {
  const isWord = typeof value !== "string" || isMeasure(value) ||
    /^(?!\w+:(?!\/\/))[\x21-\x7e]{0,40}$/.test(value)
  return isWord && typeof value !== "object" ? JSON.stringify(value) : typeName(value)
}
