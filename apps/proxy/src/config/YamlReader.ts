/** Parses YAML with the positions of its keys. Messages never quote the text, because it may contain a secret. */
import { isUtf8 } from "node:buffer"
import * as Yaml from "yaml"
import type { ConfigPath } from "./ConfigPath.ts"
import type { SourcePosition } from "./Diagnostic.ts"

interface SyntaxIssue {
  readonly position: SourcePosition | null
  readonly message: string
}

export interface YamlDocument {
  /** `undefined` if the text cannot be parsed. */
  readonly value: unknown
  /** The first error: it causes many others. */
  readonly issue: SyntaxIssue | null
  /** Returns the position of a value or of its name. For a missing key, returns the position of its section. */
  readonly position: (path: ConfigPath, part: "name" | "value") => SourcePosition | null
}

export const empty: YamlDocument = { value: {}, issue: null, position: () => null }

export const unreadable = (message: string, position: SourcePosition | null = null): YamlDocument => ({
  ...empty,
  value: undefined,
  issue: { position, message }
})

const maxDepth = 100

export const parseYaml = (bytes: Uint8Array): YamlDocument => {
  // A file is briefly empty while it is written. An empty configuration must not be applied.
  if (bytes.byteLength === 0) return unreadable("the file is empty")
  if (!isUtf8(bytes)) return unreadable("expected text in UTF-8")
  const text = new TextDecoder().decode(bytes)
  if (isTooDeep(text)) return unreadable("nested too deeply")
  const lines = new Yaml.LineCounter()
  const document = Yaml.parseDocument(text, {
    version: "1.2",
    schema: "core",
    customTags: null,
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // The check of the library takes quadratic time, and would block a running proxy.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines
  })
  const position = (offset: number): SourcePosition => {
    const { col, line } = lines.linePos(offset)
    return { line, column: col }
  }
  const [error] = [...document.errors, ...document.warnings]
  if (error !== undefined) {
    const { code, pos } = error
    const message = messages[code] ?? `invalid YAML (${code.toLowerCase().replaceAll("_", " ")})`
    return unreadable(message, position(pos[0]))
  }
  const unsupported = firstUnsupported(document)
  if (unsupported !== undefined) return unreadable(unsupported.message, position(unsupported.offset))
  return {
    value: document.toJS(),
    issue: null,
    position: (path, part) => {
      const offset = find(document, path, part)
      return offset === undefined ? null : position(offset)
    }
  }
}

const messages: { readonly [Code in Yaml.ErrorCode]?: string } = {
  MULTIPLE_DOCS: "expected one document, got another after ---",
  TAB_AS_INDENT: "indent with spaces, not with tabs",
  BAD_INDENT: "wrong indentation, or a bracket that is not closed",
  BLOCK_AS_IMPLICIT_KEY: "two keys on one line; quote text that contains a colon",
  MISSING_CHAR: "missing colon, closing quote or bracket, here or before",
  BAD_DQ_ESCAPE: "invalid escape sequence; use single quotes for a literal backslash",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported",
  NON_STRING_KEY: "expected the name of a key"
}

/** The library composes nested values recursively: a document that exhausts the stack may crash Node.js. */
const isTooDeep = (text: string): boolean => {
  let isDeep = false
  for (const token of new Yaml.Parser().parse(text)) {
    if (token.type !== "document") continue
    Yaml.CST.visit(token, (_, path) => {
      isDeep ||= path.length > maxDepth
      return isDeep ? Yaml.CST.visit.BREAK : undefined
    })
  }
  return isDeep
}

/** Finds the first alias or duplicate key. */
const firstUnsupported = (document: Yaml.Document.Parsed) => {
  let first: { readonly offset: number; readonly message: string } | undefined
  const stop = (node: unknown, message: string) => {
    first = { offset: offsetOf(node) ?? 0, message }
    return Yaml.visit.BREAK
  }
  Yaml.visit(document, {
    Alias: (_, alias) => stop(alias, "aliases (*name) are not supported; repeat the value"),
    Map: (_, { items }) => {
      const names = new Set<string>()
      const duplicate = items.find(({ key }) => names.size === names.add(String(key)).size)
      return duplicate === undefined ? undefined : stop(duplicate.key, "duplicate key")
    }
  })
  return first
}

/** Formats a value on one line. It is formatted as a list element, because some strings become multi-line blocks otherwise. */
export const toInlineYaml = (value: unknown): string =>
  Yaml.stringify([value], { collectionStyle: "flow", lineWidth: 0, version: "1.2", schema: "core" })
    .trim()
    .replace(/^\[ (.*) \]$/, "$1")

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
