/** Parses YAML with the positions of its keys. Messages never quote the text, because it may contain a secret. */
import * as Predicate from "effect/Predicate"
import { isUtf8 } from "node:buffer"
import * as Yaml from "yaml"
import type { ConfigPath } from "./ConfigPath.ts"
import type { SourcePosition } from "./Diagnostic.ts"

export interface SyntaxIssue {
  readonly position: SourcePosition | null
  readonly message: string
}

export interface YamlDocument {
  /** `undefined` if the text cannot be parsed. */
  readonly value: unknown
  readonly issues: ReadonlyArray<SyntaxIssue>
  /** Returns the position of a value or of its name. For a missing key, returns the position of its section. */
  readonly position: (path: ConfigPath, part: "name" | "value") => SourcePosition | null
}

export const unreadable = (issues: ReadonlyArray<SyntaxIssue>): YamlDocument => ({
  value: undefined,
  issues,
  position: () => null
})

/** The first errors cause many others. */
const maxIssues = 10
const maxDepth = 100

export const parseYaml = (bytes: Uint8Array): YamlDocument => {
  const failed = (message: string) => unreadable([{ position: null, message }])
  // A file is briefly empty while it is written. An empty configuration must not be applied.
  if (bytes.byteLength === 0) return failed("the file is empty")
  if (!isUtf8(bytes)) return failed("expected text in UTF-8")
  const text = new TextDecoder().decode(bytes)
  const tokens = [...new Yaml.Parser().parse(text)]
  if (isTooDeep(tokens)) return failed("nested too deeply")
  const lines = new Yaml.LineCounter()
  const document = Yaml.parseDocument(text, {
    version: "1.2",
    schema: "core",
    customTags: null,
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // The check of the library takes quadratic time; `survey` finds duplicates instead.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines
  })
  const position = (offset: number): SourcePosition => {
    const { col, line } = lines.linePos(offset)
    // The library counts from 0 before the first line.
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const issue = (offset: number, message: string) => ({ position: position(offset), message })
  const syntax = (errors: ReadonlyArray<Yaml.YAMLError>) =>
    errors.slice(0, maxIssues).map(({ code, pos }) =>
      issue(pos[0], messages[code] ?? `invalid YAML (${code.toLowerCase().replaceAll("_", " ")})`)
    )
  if (document.errors.length > 0) {
    // The library reports them where it notices them, and as wrong indentation.
    const unclosed = findUnclosed(tokens).map(([offset, message]) => issue(offset, message))
    return unreadable(unclosed.length > 0 ? unclosed.slice(0, maxIssues) : syntax(document.errors))
  }
  const { explicit, version } = document.directives.yaml
  if (explicit === true && version !== "1.2") return unreadable([issue(0, "expected YAML 1.2")])
  const { aliases, duplicates } = survey(document)
  if (aliases.length > 0) {
    const message = "aliases (*name) are not supported; repeat the value"
    return unreadable(aliases.slice(0, maxIssues).map((offset) => issue(offset, message)))
  }
  return {
    value: document.toJS(),
    issues: [
      ...syntax(document.warnings),
      ...duplicates.slice(0, maxIssues).map(([first, second]) =>
        issue(second, `duplicate key; first on line ${position(first).line}`)
      )
    ],
    position: (path, part) => {
      const offset = find(document, path, part)
      return offset === undefined ? null : position(offset)
    }
  }
}

const messages: { readonly [Code in Yaml.ErrorCode]?: string } = {
  MULTIPLE_DOCS: "expected one document, got another after ---",
  TAB_AS_INDENT: "indent with spaces, not with tabs",
  BAD_INDENT: "wrong indentation",
  BLOCK_AS_IMPLICIT_KEY: "two keys on one line; quote text that contains a colon",
  MISSING_CHAR: "missing colon, here or before",
  BAD_DQ_ESCAPE: "invalid escape sequence; use single quotes for a literal backslash",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported",
  NON_STRING_KEY: "expected the name of a key"
}

/** The library composes nested values recursively: a document that exhausts the stack may crash Node.js. */
const isTooDeep = (tokens: ReadonlyArray<Yaml.CST.Token>): boolean => {
  let level = tokens
  for (let depth = 0; depth < maxDepth; depth++) level = level.flatMap(innerTokens)
  return level.length > 0
}

const innerTokens = (token: Yaml.CST.Token): ReadonlyArray<Yaml.CST.Token> => {
  const items: ReadonlyArray<Yaml.CST.CollectionItem> = "items" in token ? token.items : []
  const inner = items.flatMap(({ key, value }) => [key, value])
  return (token.type === "document" ? [token.value] : inner).filter(Predicate.isNotNullable)
}

type Unclosed = readonly [offset: number, message: string]

/** Returns the quotes that are not closed, or else the brackets: the text of such a quote may contain brackets. */
const findUnclosed = (tokens: ReadonlyArray<Yaml.CST.Token>): ReadonlyArray<Unclosed> => {
  const all = (tokens: ReadonlyArray<Yaml.CST.Token>): ReadonlyArray<Yaml.CST.Token> =>
    tokens.flatMap((token) => [token, ...all(innerTokens(token))])
  const inside = all(tokens)
  const quotes = inside.filter(isUnclosedQuote).map(({ offset }): Unclosed => [offset, "unclosed quote"])
  return quotes.length > 0 ? quotes : inside.flatMap((token): ReadonlyArray<Unclosed> => {
    if (token.type !== "flow-collection") return []
    const [start, end] = token.start.type === "flow-map-start" ? ["{", "}"] : ["[", "]"]
    return token.end[0]?.source === end
      ? []
      : [[token.offset, `unclosed bracket: this ${start} has no ${end}`]]
  })
}

const isUnclosedQuote = (token: Yaml.CST.Token): boolean =>
  (token.type === "double-quoted-scalar" && !/[^\\](\\\\)*"$/.test(token.source)) ||
  (token.type === "single-quoted-scalar" && token.source.split("'").length % 2 === 0)

/** Formats a value on one line. It is formatted as a list element, because some strings become multi-line blocks otherwise. */
export const toInlineYaml = (value: unknown): string =>
  Yaml.stringify([value], { collectionStyle: "flow", lineWidth: 0, version: "1.2", schema: "core" })
    .trim()
    .replace(/^\[ (.*) \]$/, "$1")

const survey = (document: Yaml.Document.Parsed) => {
  const aliases: Array<number> = []
  const duplicates: Array<readonly [first: number, second: number]> = []
  Yaml.visit(document, {
    Alias: (_, alias) => void aliases.push(offsetOf(alias) ?? 0),
    Map: (_, { items }) => {
      const offsets = new Map<string, number>()
      for (const { key } of items) {
        const [name, offset] = [String(key), offsetOf(key) ?? 0]
        const first = offsets.get(name)
        if (first === undefined) offsets.set(name, offset)
        else duplicates.push([first, offset])
      }
    }
  })
  return { aliases, duplicates }
}

/** Returns the offset of the value at a path, or of the closest value above it. */
const find = (document: Yaml.Document, path: ConfigPath, part: "name" | "value"): number | undefined => {
  let node: unknown = document.contents
  let offset = offsetOf(node)
  for (const [index, step] of path.entries()) {
    const pair = Yaml.isMap(node) ? node.items.find(({ key }) => String(key) === step) : undefined
    node = pair?.value ?? (Yaml.isSeq(node) && typeof step === "number" ? node.items[step] : undefined)
    if (pair === undefined && node === undefined) return offset
    // A block begins on a line after its name.
    const isBlock = Yaml.isCollection(node) && node.flow !== true
    const isName = pair !== undefined && (isBlock || (part === "name" && index === path.length - 1))
    offset = (isName ? undefined : offsetOf(node)) ?? offsetOf(pair?.key) ?? offset
  }
  return offset
}

const offsetOf = (node: unknown): number | undefined => Yaml.isNode(node) ? node.range?.[0] : undefined
