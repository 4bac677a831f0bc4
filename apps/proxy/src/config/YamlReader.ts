/** Reads YAML, and knows the line of everything in it. What it says never quotes the text: that may hold a secret. */
import * as Either from "effect/Either"
import * as Yaml from "yaml"
import type { ConfigPath } from "./ConfigPath.ts"
import type { ConfigIssue, SourcePosition } from "./Diagnostic.ts"

/** Something wrong with the text itself. */
export interface SyntaxIssue {
  readonly position: SourcePosition | null
  readonly message: string
}

export interface YamlDocument {
  readonly value: unknown
  /** What is wrong, though the rest can be read. */
  readonly syntaxIssues: ReadonlyArray<SyntaxIssue>
  /** Where a setting is; of one that is missing, where it should be. */
  readonly position: (at: Pick<ConfigIssue, "path" | "part">) => SourcePosition | null
}

/** Repetitions are for people, not for machines that count on them to multiply. */
const maxAliases = 100

export const parseYaml = (bytes: Uint8Array): Either.Either<YamlDocument, ReadonlyArray<SyntaxIssue>> =>
  bytes.byteLength === 0
    // As a file is for a moment that is being written: what it does not say yet must not come into force.
    ? Either.left([{ position: null, message: "it is empty" }])
    : Either.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => [{ position: null, message: "expected text in UTF-8" }]
    }).pipe(Either.flatMap(parseText))

const parseText = (text: string): Either.Either<YamlDocument, ReadonlyArray<SyntaxIssue>> => {
  const lines = new Yaml.LineCounter()
  const document = Yaml.parseDocument(text, {
    version: "1.2",
    schema: "core",
    customTags: null,
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // Looked for below: the library compares every key with every other.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines
  })
  const position = (offset: number): SourcePosition => {
    const { col, line } = lines.linePos(offset)
    // Before the first line there is nothing; the library says 0 there.
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (document.errors.length > 0) {
    return Either.left(
      document.errors.slice(0, maxSyntaxIssues).map(({ code, pos }) => ({
        position: position(pos[0]),
        message: syntaxMessage(code)
      }))
    )
  }
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== "1.2") {
    return Either.left([{ position: position(0), message: "expected YAML 1.2" }])
  }
  const { aliases, repeated: duplicates } = findAliasesAndDuplicates(document)
  if (aliases.length > maxAliases) {
    return Either.left([{ position: position(0), message: `expected at most ${maxAliases} aliases (*name)` }])
  }
  const unresolved = aliases.filter((alias) => !isDefinedBefore(alias, alias.resolve(document)))
  if (unresolved.length > 0) {
    return Either.left(unresolved.map((alias) => ({
      position: position(alias.range?.[0] ?? 0),
      message: "the anchor (&name) of this alias does not stand before it"
    })))
  }
  return Either.try({
    try: (): unknown => document.toJS({ maxAliasCount: maxAliases }),
    catch: () => [{ position: null, message: "the aliases (*name) multiply too much" }]
  }).pipe(
    Either.map((value) => ({
      value,
      syntaxIssues: [
        ...document.warnings.slice(0, maxSyntaxIssues).map(({ code, pos }) => ({
          position: position(pos[0]),
          message: syntaxMessage(code)
        })),
        ...duplicates.slice(0, maxSyntaxIssues).map(({ first, second }) => ({
          position: position(second),
          message: `this name is here twice: first on line ${position(first).line}`
        }))
      ],
      position: ({ part, path }) => {
        const offset = offsetAt(document, path, part)
        return offset === undefined ? null : position(offset)
      }
    }))
  )
}

/** One mistake makes many: after some of them the rest says nothing. */
const maxSyntaxIssues = 10

const syntaxMessage = (code: Yaml.ErrorCode): string => {
  switch (code) {
    case "MULTIPLE_DOCS":
      return "expected one document, and there is another after ---"
    case "TAB_AS_INDENT":
      return "tabs do not indent; use spaces"
    case "BAD_INDENT":
      return "this is not indented as what it belongs to"
    case "BLOCK_AS_IMPLICIT_KEY":
      return "there are two settings on one line; a text with a colon goes between quotes"
    case "MISSING_CHAR":
      return "something is not closed or a colon is missing, here or before"
    case "BAD_DQ_ESCAPE":
      return "there is no such escape; in single quotes a backslash is itself"
    case "TAG_RESOLVE_FAILED":
      return "tags (!name) are not taken"
    case "NON_STRING_KEY":
      return "expected the name of a setting"
    case "RESOURCE_EXHAUSTION":
      return "this is nested too deeply"
    default:
      return `this is no YAML (${code.toLowerCase().replaceAll("_", " ")})`
  }
}

/** What repeats itself has no end. */
const isDefinedBefore = (alias: Yaml.Alias, anchored: Yaml.Node | undefined): boolean =>
  anchored !== undefined && (anchored.range?.[1] ?? 0) <= (alias.range?.[0] ?? 0)

/** A value on one line, as the reader takes it. In a list, since alone some texts become blocks of lines. */
export const toInlineYaml = (value: unknown): string =>
  Yaml.stringify([value], { collectionStyle: "flow", lineWidth: 0, version: "1.2", schema: "core" })
    .trim()
    .replace(/^\[ (.*) \]$/, "$1")

interface DuplicateKey {
  readonly first: number
  readonly second: number
}

const findAliasesAndDuplicates = (document: Yaml.Document.Parsed) => {
  const aliases: Array<Yaml.Alias> = []
  const repeated: Array<DuplicateKey> = []
  Yaml.visit(document, {
    Alias: (_, alias) => void aliases.push(alias),
    Map: (_, { items }) => {
      const seen = new Map<string, number>()
      for (const { key } of items) {
        if (!Yaml.isScalar(key)) continue
        const second = key.range?.[0] ?? 0
        const first = seen.get(String(key.value))
        if (first === undefined) seen.set(String(key.value), second)
        else repeated.push({ first, second })
      }
    }
  })
  return { aliases, repeated }
}

/** The offset of what is at a path, or of the last on the way that is there. */
const offsetAt = (
  document: Yaml.Document.Parsed,
  path: ConfigPath,
  part: ConfigIssue["part"]
): number | undefined => {
  let node: unknown = document.contents
  let offset = offsetOf(node)
  for (const [index, step] of path.entries()) {
    if (Yaml.isAlias(node)) node = node.resolve(document)
    if (Yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => Yaml.isScalar(key) && String(key.value) === step)
      if (pair === undefined) return offset
      const isName = part === "name" && index === path.length - 1
      offset = (isName || isBlock(pair.value) ? undefined : offsetOf(pair.value)) ?? offsetOf(pair.key) ??
        offset
      node = pair.value
    } else if (Yaml.isSeq(node) && typeof step === "number") {
      if (step >= node.items.length) return offset
      node = node.items[step]
      offset = offsetOf(node) ?? offset
    } else return offset
  }
  return offset
}

/** It begins on a line after its name. */
const isBlock = (node: unknown): boolean => Yaml.isCollection(node) && node.flow !== true

const offsetOf = (node: unknown): number | undefined => Yaml.isNode(node) ? node.range?.[0] : undefined
