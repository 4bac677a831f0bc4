/**
 * The manifest of an export: what was requested, and the parts that are safely on disk.
 *
 * It is written after the bytes that it describes are on disk, and replaced atomically, so that at any moment it describes
 * a state from which the export can continue.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { gunzipSync, gzipSync } from "node:zlib"
import type { EncodedRecord } from "../list/RecordList.ts"
import { ExportQuery } from "./ExportQuery.ts"

const Count = Schema.Int.pipe(Schema.nonNegative())

/** What is not in the file, or only in that of the records that cannot be read. */
const Omitted = Schema.Struct({
  /** The pages that begin here. */
  pages: Count,
  /** The records that the page before had: those that were left out, and those without an identity, which may be repeated. */
  leftOut: Count,
  unidentified: Count,
  /** The records that cannot be read, and the bytes of their lines. */
  invalid: Count,
  invalidBytes: Count
})

const Part = Schema.Struct({
  rows: Count,
  /** The records of the upstream that became the rows. */
  records: Count,
  omitted: Omitted,
  bytes: Count,
  /** Continues after the part. Null after the last part of a run. */
  cursor: Schema.NullOr(Schema.String),
  sha256: Schema.String,
  /** What the end of the file needs to know about the part. */
  footer: Schema.NullOr(Schema.String)
})

export interface Part extends Schema.Schema.Type<typeof Part> {}

/** Records after the last part, which are saved without being encoded. */
const Tail = Schema.Struct({
  records: Count,
  omitted: Omitted,
  cursor: Schema.String,
  /** The records as lines of JSON, compressed, in base64. */
  lines: Schema.String
}).pipe(
  Schema.filter((tail) =>
    Option.exists(Option.liftThrowable(recordsOf)(tail), ({ length }) => length === tail.records)
  )
)

type Tail = typeof Tail.Type

export const makeTail = (
  records: ReadonlyArray<unknown>,
  cursor: string,
  omitted: typeof Omitted.Type
): Tail => ({
  records: records.length,
  omitted,
  cursor,
  lines: gzipSync(records.map((record) => JSON.stringify(record)).join("\n")).toString("base64")
})

export const recordsOf = ({ lines }: { readonly lines: string }): ReadonlyArray<EncodedRecord> =>
  gunzipSync(Buffer.from(lines, "base64")).toString().split("\n")
    .map((line): unknown => JSON.parse(line)).filter(Predicate.isRecord)

/** The highest block of the records, and the identities of its records. */
const NewestBlock = Schema.Struct({ block: Count, records: Schema.Array(Schema.String) })

export interface NewestBlock extends Schema.Schema.Type<typeof NewestBlock> {}

const Run = Schema.Struct({
  /** The number of parts of earlier runs. */
  firstPart: Count,
  /** Where the run starts; null for the whole list. */
  since: Schema.NullOr(NewestBlock)
})

const InputCounts = Schema.Struct({ failed: Count, total: Count })

export const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  query: ExportQuery,
  status: Schema.Literal("unfinished", "complete"),
  bytes: Schema.NullOr(Count),
  run: Run,
  /** Of the records of the parts. */
  newest: Schema.NullOr(NewestBlock),
  parts: Schema.Array(Part),
  /** The identities of the records of the page before the cursor with which the export continues. */
  previous: Schema.Array(Schema.String),
  /** Of an export that was interrupted between two places where a part can end. */
  tail: Schema.NullOr(Tail),
  /** The inputs of a complete export of many inputs. */
  inputs: Schema.NullOr(InputCounts)
})

export interface Manifest extends Schema.Schema.Type<typeof Manifest> {}

const ManifestText = Schema.parseJson(Manifest, { space: 2 })

export const formatManifest = (manifest: Manifest): string => `${Schema.encodeSync(ManifestText)(manifest)}\n`

/** Returns null for a text that is not a manifest of this version. */
export const parseManifest = (text: string): Manifest | null =>
  Option.getOrNull(Schema.decodeOption(ManifestText)(text))

export const startManifest = (query: ExportQuery): Manifest => ({
  version: 1,
  query,
  status: "unfinished",
  bytes: null,
  run: { firstPart: 0, since: null },
  newest: null,
  parts: [],
  previous: [],
  tail: null,
  inputs: null
})

export const sumOf = <Name extends string>(
  parts: ReadonlyArray<Readonly<Record<Name, number>>>,
  name: Name
): number => parts.reduce((sum, part) => sum + part[name], 0)

/** Returns what is not in the file, of some parts. */
export const sumOfOmitted = (parts: ReadonlyArray<Part>, name: keyof typeof Omitted.Type): number =>
  sumOf(parts.map(({ omitted }) => omitted), name)

export const runParts = ({ parts, run }: Manifest): ReadonlyArray<Part> => parts.slice(run.firstPart)

/** Returns the number of records of the current run that are saved. */
export const savedRecords = (manifest: Manifest): number =>
  sumOf(runParts(manifest), "records") + (manifest.tail?.records ?? 0)

/** Returns the cursor with which the current run continues; null at its beginning. */
export const cursorOf = (manifest: Manifest): string | null =>
  (manifest.tail ?? runParts(manifest).at(-1))?.cursor ?? null
