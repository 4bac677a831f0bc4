/** Parses YAML with the positions of its keys. Messages never quote the text, because it may contain a secret. */
import * as Either from "effect/Either"
import { isUtf8 } from "node:buffer"
import * as Yaml from "yaml"
import type { ConfigPath } from "./ConfigPath.ts"
import type { SourcePosition } from "./Diagnostic.ts"

interface SyntaxIssue {
  readonly position: SourcePosition | null
  readonly message: string
}

export interface YamlDocument {
  readonly value: unknown
  /** Returns the position of a value or of its name. For a missing key, returns the position of its section. */
  readonly position: (path: ConfigPath, part: "name" | "value") => SourcePosition | null
}

export const empty: YamlDocument = { value: {}, position: () => null }

const unreadable = (message: string, position: SourcePosition | null = null) =>
  Either.left({ position, message })

/** Fails with the first error: it causes many others. */
export const parseYaml = (bytes: Uint8Array): Either.Either<YamlDocument, SyntaxIssue> => {
  // A file is briefly empty while it is written. An empty configuration must not be applied.
  if (bytes.byteLength === 0) return unreadable("the file is empty")
  if (!isUtf8(bytes)) return unreadable("expected text in UTF-8")
  const lines = new Yaml.LineCounter()
  const document = Yaml.parseDocument(new TextDecoder().decode(bytes), {
    version: "1.2",
    schema: "core",
    customTags: null,
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
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
    // The message of the library quotes the text.
    const { code, pos } = error
    return unreadable(
      `invalid YAML: ${hints[code] ?? code.toLowerCase().replaceAll("_", " ")}`,
      position(pos[0])
    )
  }
  const aliases: Array<Yaml.Alias> = []
  Yaml.visit(document, { Alias: (_, alias) => void aliases.push(alias) })
  if (aliases[0] !== undefined) {
    return unreadable(
      "aliases (*name) are not supported; repeat the value",
      position(offsetOf(aliases[0]) ?? 0)
    )
  }
  return Either.right({
    value: document.toJS(),
    position: (path, part) => {
      const offset = find(document, path, part)
      return offset === undefined ? null : position(offset)
    }
  })
}

const hints: { readonly [Code in Yaml.ErrorCode]?: string } = {
  BAD_INDENT: "wrong indentation, or a bracket that is not closed",
  BLOCK_AS_IMPLICIT_KEY: "two keys on one line; quote text that contains a colon",
  MISSING_CHAR: "missing colon, closing quote or bracket, here or before",
  MULTIPLE_DOCS: "expected one document, got another after ---",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported",
  BAD_DQ_ESCAPE: "unknown escape sequence; use single quotes for a literal backslash"
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
