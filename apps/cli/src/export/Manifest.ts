/**
 * The manifest of an export: what was requested, and the parts that are safely on disk.
 *
 * It is written after the bytes that it describes are on disk, and replaced atomically, so that at any moment it describes
 * a state from which the export can continue.
 */
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

const Count = Schema.Int.pipe(Schema.nonNegative())

/** What determines the bytes of the file. It contains no API key. */
export const ExportQuery = Schema.Struct({
  /** The origin of the service. The sandbox has none. */
  service: Schema.optionalWith(Schema.String, { exact: true }),
  operation: Schema.String,
  /** The canonical input of the operation. */
  input: Schema.Unknown,
  /** Whether the records are synthetic. */
  sandbox: Schema.Boolean,
  maxItems: Schema.NullOr(Count),
  /** The format and the options that change its bytes. */
  format: Schema.Record({ key: Schema.String, value: Schema.String })
})

export interface ExportQuery extends Schema.Schema.Type<typeof ExportQuery> {}

const Part = Schema.Struct({
  rows: Count,
  /** The records of the upstream that became the rows. */
  records: Count,
  bytes: Count,
  firstBlock: Schema.NullOr(Count),
  lastBlock: Schema.NullOr(Count),
  /** Continues after the part. Null after the last part of a run. */
  cursor: Schema.NullOr(Schema.String),
  sha256: Schema.String,
  /** What the end of the file needs to know about the part. */
  footer: Schema.NullOr(Schema.String)
})

export interface Part extends Schema.Schema.Type<typeof Part> {}

/** The highest block of the records, and the identities of its records. */
const NewestBlock = Schema.Struct({ block: Count, records: Schema.Array(Schema.String) })

export interface NewestBlock extends Schema.Schema.Type<typeof NewestBlock> {}

const Run = Schema.Struct({
  /** The number of parts of earlier runs. */
  firstPart: Count,
  /** Where the run starts; null for the whole list. */
  since: Schema.NullOr(NewestBlock)
})

export const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  query: ExportQuery,
  queryHash: Schema.String,
  status: Schema.Literal("unfinished", "complete"),
  /** The size of the complete file; null while the export is unfinished. */
  bytes: Schema.NullOr(Count),
  run: Run,
  newest: Schema.NullOr(NewestBlock),
  parts: Schema.Array(Part)
})

export interface Manifest extends Schema.Schema.Type<typeof Manifest> {}

const ManifestText = Schema.parseJson(Manifest, { space: 2 })

export const formatManifest = (manifest: Manifest): string => `${Schema.encodeSync(ManifestText)(manifest)}\n`

/** Returns null for a text that is not a manifest of this version. */
export const parseManifest = (text: string): Manifest | null =>
  Either.getOrNull(Schema.decodeEither(ManifestText)(text))

export const startManifest = (query: ExportQuery): Manifest => ({
  version: 1,
  query,
  queryHash: hashQuery(query),
  status: "unfinished",
  bytes: null,
  run: { firstPart: 0, since: null },
  newest: null,
  parts: []
})

/** Returns the sum of a number of all parts. */
export const sumOf = (parts: ReadonlyArray<Part>, name: "rows" | "records" | "bytes"): number =>
  parts.reduce((sum, part) => sum + part[name], 0)

/** Returns the parts of the current run. */
export const runParts = ({ parts, run }: Manifest): ReadonlyArray<Part> => parts.slice(run.firstPart)

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : Predicate.isRecord(value)
    ? Object.fromEntries(
      Object.entries(value).filter(([, member]) => member !== undefined)
        .map(([name, member]) => [name, sorted(member)] as const)
        .sort(([a], [b]) => a < b ? -1 : 1)
    )
    : value

export const hashQuery = (query: ExportQuery): string =>
  createHash("sha256").update(JSON.stringify(sorted(query))).digest("hex")

/** Returns the members of a query by dotted names, for messages. */
const membersOf = (value: unknown, name: string): ReadonlyArray<readonly [string, string]> =>
  Predicate.isRecord(value)
    ? Object.entries(value).flatMap(([key, member]) =>
      membersOf(member, name === "" ? key : `${name}.${key}`)
    )
    : value === undefined
    ? []
    : [[name, typeof value === "string" ? value : JSON.stringify(value)]]

/** Describes how two queries differ, or returns an empty text. For example `input.chain: eth -> polygon`. */
export const describeDifference = (before: unknown, now: unknown): string => {
  const [was, is] = [new Map(membersOf(before, "")), new Map(membersOf(now, ""))]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => !Equal.equals(was.get(name), is.get(name)))
    .map((name) => `${name}: ${was.get(name) ?? "not set"} -> ${is.get(name) ?? "not set"}`)
    .join(", ")
}
