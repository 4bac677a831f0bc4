/** Decides how an export starts, from the files that an earlier one left. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs/promises"
import { FileConflictError, type OutputError } from "../errors/CommandError.ts"
import { attempt, ifExists, readText, remove, sizeOf, syncFolder, write, writeText } from "../files/Files.ts"
import { countOf } from "../render/Count.ts"
import type { ExportTarget } from "./ExportOptions.ts"
import { describeDifference, type ExportQuery, type QueryOperation } from "./ExportQuery.ts"
import { cursorOf, formatManifest, type Manifest, parseManifest, startManifest, sumOf } from "./Manifest.ts"
import { countIntactParts } from "./PartialFile.ts"

export const exportFiles = (file: string) => ({
  invalid: `${file}.invalid.ndjson`,
  manifest: `${file}.manifest.json`,
  partial: `${file}.partial`,
  partialInvalid: `${file}.invalid.ndjson.partial`
})

export const writeManifest = (file: string, manifest: Manifest): Effect.Effect<void, OutputError> =>
  writeText(exportFiles(file).manifest, formatManifest(manifest))

export const publish = (file: string): Effect.Effect<void, OutputError> =>
  write(file, async () => {
    const { invalid, partial, partialInvalid } = exportFiles(file)
    await ifExists(fs.rename(partialInvalid, invalid))
    await fs.rename(partial, file)
    await syncFolder(file)
  })

/** Removes the files of an export that has saved nothing. The manifest protects a file that is being replaced. */
export const discard = (file: string): Effect.Effect<void, OutputError> =>
  Effect.gen(function*() {
    if ((yield* sizeOf(file)) !== null) return
    const { manifest, partial, partialInvalid } = exportFiles(file)
    yield* remove(partial, partialInvalid, manifest)
  })

export interface ExportStart {
  /** Describes the parts that the export keeps. It is complete if there is nothing to export. */
  readonly manifest: Manifest
  /** Moves these parts to `FILE.partial`, or to FILE if the export is complete. */
  readonly prepare: Effect.Effect<void, OutputError>
}

const conflict = (reason: string, hint: string) => new FileConflictError({ reason, hint })

/** Decides how an export starts. Changes no file. */
export const planStart = (
  { file, mode }: ExportTarget,
  query: ExportQuery,
  operation: QueryOperation
): Effect.Effect<ExportStart, FileConflictError | OutputError> =>
  Effect.gen(function*() {
    const files = exportFiles(file)
    const manifestOfNew = startManifest(query)
    // Written at once: `--resume` must not take a file that is being replaced for the result
    const startNew = { manifest: manifestOfNew, prepare: writeManifest(file, manifestOfNew) }
    if (mode === "overwrite") return startNew
    const text = yield* readText(files.manifest)
    const size = yield* sizeOf(file)
    if (text === null) {
      const existing = size !== null ? file : (yield* sizeOf(files.invalid)) !== null ? files.invalid : null
      return existing === null ? startNew : yield* conflict(
        `${existing} exists${mode === "new" ? "" : ", and has no manifest of an export"}`,
        "choose another name, or use --overwrite to replace it"
      )
    }
    const found = parseManifest(text)
    if (found === null) {
      return yield* conflict(
        `${files.manifest} is not a manifest of this version of quarry`,
        "choose another name, or use --overwrite to start anew"
      )
    }
    // An export that saved nothing left nothing to continue, or to protect
    if (found.status === "unfinished" && isEmpty(found) && size === null) return startNew
    // All records that are saved without --skip-invalid can be read
    const format = { "skip-invalid": query.format["skip-invalid"], ...found.query.format }
    const difference = describeDifference({ ...found.query, format }, query, operation)
    if (difference !== "") {
      return yield* conflict(
        `${file} is the export of another query (${difference})`,
        "choose another name, or use --overwrite to replace it"
      )
    }
    const manifest = { ...found, query }
    const isFinished = manifest.status === "complete"
    // The process may end before it renames the complete file
    const isUnpublished = isFinished && (yield* isComplete(files.partial, manifest))
    if (mode === "new" && (!isFinished || isUnpublished)) {
      const rows = sumOf(manifest.parts, "rows") + (manifest.tail?.records ?? 0)
      return yield* conflict(
        `an unfinished export of ${file} has ${countOf(rows, "rows")}`,
        "use --resume to continue it, or --overwrite to start anew"
      )
    }
    if (!isFinished) return (yield* planContinuation(file, manifest)) ?? startNew
    if (!isUnpublished && size === null) return startNew
    if (mode === "new") {
      return yield* conflict(
        `${file} exists`,
        "use --since-last to append what is new, --overwrite to replace it, or choose another name"
      )
    }
    if (!isUnpublished && size !== manifest.bytes && mode !== "since-last") return yield* hasChanged(file)
    // What is there otherwise is the rest of a copy that was never used
    const finish = isUnpublished ? publish(file) : remove(files.partial, files.partialInvalid)
    if (mode === "resume") return { manifest, prepare: finish }
    if (!isUnpublished) yield* requireParts(file, manifest)
    const appending = startAppending(file, manifest)
    return { ...appending, prepare: Effect.zipRight(finish, appending.prepare) }
  })

const isEmpty = ({ parts, tail }: Manifest): boolean => parts.length === 0 && tail === null

const hasChanged = (file: string): FileConflictError =>
  conflict(`${file} has changed since it was exported`, "use --overwrite to export it again")

/** Returns whether a file has all bytes of a complete export. */
const isComplete = (file: string, { bytes, parts }: Manifest): Effect.Effect<boolean, OutputError> =>
  Effect.gen(function*() {
    return (yield* sizeOf(file)) === bytes && (yield* countIntactParts(file, parts)) === parts.length
  })

/** Keeps the parts that are intact and can be continued; null if there are none. */
const planContinuation = (file: string, manifest: Manifest) =>
  Effect.gen(function*() {
    const { parts, run } = manifest
    const intact = parts.slice(0, yield* countIntactParts(exportFiles(file).partial, parts))
    const kept = intact.length === parts.length
      ? manifest
      : { ...manifest, parts: intact, previous: [], tail: null }
    if (intact.length >= run.firstPart && cursorOf(kept) !== null) {
      return { manifest: kept, prepare: Effect.void }
    }
    if (run.firstPart === 0) return null
    const complete = { ...manifest, newest: run.since, parts: parts.slice(0, run.firstPart) }
    yield* requireParts(file, complete)
    return startAppending(file, complete)
  })

const requireParts = (file: string, { parts }: Manifest) =>
  Effect.flatMap(
    countIntactParts(file, parts),
    (count) => count < parts.length ? hasChanged(file) : Effect.void
  )

/** Copies the complete file without its end. The copy replaces it when the new records are complete. */
const startAppending = (file: string, complete: Manifest): ExportStart => {
  const { newest, parts } = complete
  const { invalid, partial, partialInvalid } = exportFiles(file)
  const run = { firstPart: parts.length, since: newest }
  const manifest: Manifest = { ...complete, status: "unfinished", bytes: null, run, previous: [], tail: null }
  const copy = attempt("write", partial, async () => {
    await fs.copyFile(file, partial, fs.constants.COPYFILE_FICLONE)
    await ifExists(fs.copyFile(invalid, partialInvalid, fs.constants.COPYFILE_FICLONE))
    const handle = await fs.open(partial, "r+")
    try {
      await handle.truncate(sumOf(parts, "bytes"))
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
  return { manifest, prepare: Effect.zipRight(copy, writeManifest(file, manifest)) }
}
