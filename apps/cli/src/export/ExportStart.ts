/** Decides how an export starts, from the files that an earlier one left. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs/promises"
import { ExportConflictError } from "../CommandError.ts"
import type { OutputError } from "../Terminal.ts"
import type { ExportTarget } from "./ExportOptions.ts"
import { formatCount } from "./ExportProgress.ts"
import { attempt, readText, remove, replaceText, sizeOf, syncFolder, write } from "./Files.ts"
import {
  describeDifference,
  type ExportQuery,
  formatManifest,
  hashQuery,
  type Manifest,
  parseManifest,
  startManifest,
  sumOf
} from "./Manifest.ts"
import { countIntactParts } from "./PartialFile.ts"

/** The files of an export. */
export const exportFiles = (file: string) => ({
  manifest: `${file}.manifest.json`,
  partial: `${file}.partial`
})

export const writeManifest = (file: string, manifest: Manifest): Effect.Effect<void, OutputError> =>
  replaceText(exportFiles(file).manifest, formatManifest(manifest))

/** Gives the complete file its name. */
export const publish = (file: string): Effect.Effect<void, OutputError> =>
  write(file, async () => {
    await fs.rename(exportFiles(file).partial, file)
    await syncFolder(file)
  })

/** Removes the files of an export that has saved nothing. The manifest protects a file that is being replaced. */
export const discard = (file: string): Effect.Effect<void, OutputError> =>
  Effect.gen(function*() {
    if ((yield* sizeOf(file)) !== null) return
    const { manifest, partial } = exportFiles(file)
    yield* remove(partial)
    yield* remove(manifest)
  })

/** Returns the manifest to continue from, whose parts are in `FILE.partial`. Null if the export is already complete. */
export const startExport = (
  { file, mode }: ExportTarget,
  query: ExportQuery
): Effect.Effect<Manifest | null, ExportConflictError | OutputError> =>
  Effect.gen(function*() {
    const files = exportFiles(file)
    const started = startManifest(query)
    // Written at once: `--resume` must not take a file that is being replaced for the result
    const startAnew = Effect.as(writeManifest(file, started), started)
    if (mode === "overwrite") return yield* startAnew
    const text = yield* readText(files.manifest)
    const size = yield* sizeOf(file)
    const conflict = (reason: string, hint: string) => new ExportConflictError({ reason, hint })
    if (text === null) {
      return size === null ? yield* startAnew : yield* conflict(
        `${file} exists${mode === "new" ? "" : ", and has no manifest of an export"}`,
        "choose another name, or use --overwrite to replace it"
      )
    }
    const manifest = parseManifest(text)
    if (manifest === null) {
      return yield* conflict(
        `${files.manifest} is not a manifest of this version of quarry`,
        "choose another name, or use --overwrite to start anew"
      )
    }
    // An export that failed before its first part left nothing to continue, or to protect
    const isEmpty = manifest.status === "unfinished" && manifest.parts.length === 0
    if (isEmpty && size === null) return yield* startAnew
    if (manifest.queryHash !== hashQuery(query)) {
      return yield* conflict(
        `${file} is the export of another query (${describeDifference(manifest.query, query)})`,
        "choose another name, or use --overwrite to replace it"
      )
    }
    if (manifest.status === "unfinished") {
      return mode === "new"
        ? yield* conflict(
          `an unfinished export of ${file} has ${formatCount(sumOf(manifest.parts, "rows"))} rows`,
          "use --resume to continue it, or --overwrite to start anew"
        )
        : yield* continueFrom(file, manifest, startAnew)
    }
    // The process ended before it renamed the complete file
    if (yield* isComplete(files.partial, manifest)) yield* publish(file)
    else if (size === null) return yield* startAnew
    else if (mode === "resume" && size !== manifest.bytes) return yield* hasChanged(file)
    if (mode === "new") {
      return yield* conflict(
        `${file} exists`,
        "use --since-last to append what is new, --overwrite to replace it, or choose another name"
      )
    }
    // The rest of a copy that was never used
    yield* remove(files.partial)
    return mode === "resume" ? null : yield* startAppending(file, manifest)
  })

const hasChanged = (file: string): ExportConflictError =>
  new ExportConflictError({
    reason: `${file} has changed since it was exported`,
    hint: "use --overwrite to export it again"
  })

/** Returns whether a file has all bytes of a complete export. */
const isComplete = (file: string, { bytes, parts }: Manifest): Effect.Effect<boolean, OutputError> =>
  Effect.gen(function*() {
    return (yield* sizeOf(file)) === bytes && (yield* countIntactParts(file, parts)) === parts.length
  })

/** Keeps the parts that are intact and can be continued. */
const continueFrom = (
  file: string,
  manifest: Manifest,
  startAnew: Effect.Effect<Manifest, OutputError>
): Effect.Effect<Manifest, ExportConflictError | OutputError> =>
  Effect.gen(function*() {
    const { parts, run } = manifest
    const intact = parts.slice(0, yield* countIntactParts(exportFiles(file).partial, parts))
    const canContinue = intact.length > run.firstPart && (intact.at(-1)?.cursor ?? null) !== null
    if (canContinue) return { ...manifest, parts: intact }
    if (run.firstPart === 0) return yield* startAnew
    return yield* startAppending(file, {
      ...manifest,
      newest: run.since,
      parts: parts.slice(0, run.firstPart)
    })
  })

/** Copies the complete file without its end. The copy replaces it when the new records are complete. */
const startAppending = (
  file: string,
  { newest, parts, ...manifest }: Manifest
): Effect.Effect<Manifest, ExportConflictError | OutputError> =>
  Effect.gen(function*() {
    const { partial } = exportFiles(file)
    if ((yield* countIntactParts(file, parts)) < parts.length) {
      return yield* hasChanged(file)
    }
    yield* attempt("write", partial, async () => {
      await fs.copyFile(file, partial, fs.constants.COPYFILE_FICLONE)
      const handle = await fs.open(partial, "r+")
      try {
        await handle.truncate(sumOf(parts, "bytes"))
        await handle.sync()
      } finally {
        await handle.close()
      }
    })
    const started: Manifest = {
      ...manifest,
      status: "unfinished",
      bytes: null,
      run: { firstPart: parts.length, since: newest },
      newest,
      parts
    }
    yield* writeManifest(file, started)
    return started
  })
