/**
 * Exports of a list to a file that survive crashes.
 *
 * Parts are appended to `FILE.partial`. A part ends with the first page after which it is large enough, so the parts of a
 * list are always the same. When the bytes of a part are on disk, the manifest is replaced by one with the part and the
 * cursor after it. An export continues from the last part of the manifest, and what it writes then is what it would have
 * written without the interruption. The complete file is renamed to FILE.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type CommandError, exitCodeOf, exitCodes } from "../CommandError.ts"
import type { ListJob } from "../list/ListJob.ts"
import { limitRecords, memoise, type RecordPage, type RecordSource } from "../list/RecordSource.ts"
import type { TransformedRecords } from "../list/RecordTransform.ts"
import { formatDuration, retryPages } from "../list/RetryPages.ts"
import { CommandTerminal } from "../Terminal.ts"
import type { ExportTarget } from "./ExportOptions.ts"
import { type ExportProgress, formatBytes, formatCount, formatPages, makeProgress } from "./ExportProgress.ts"
import { discard, exportFiles, publish, startExport, writeManifest } from "./ExportStart.ts"
import type { FileFormat, PartEncoder } from "./FileFormat.ts"
import { lockFile } from "./FileLock.ts"
import { type ExportQuery, type Manifest, type NewestBlock, runParts, sumOf } from "./Manifest.ts"
import { openPartial, type PartialFile } from "./PartialFile.ts"
import { blockOf, isNewSince, trackNewest } from "./SinceLast.ts"

const minPartRecords = 10_000
const maxPartRecords = 100_000
const maxPartSize = 32 * 2 ** 20

/**
 * Parts grow with the list, up to a limit, so that the manifest stays small and little is lost in a crash. Records count,
 * because `--jq` may make few rows of them.
 */
const partRecords = (recordsBefore: number): number =>
  Math.min(maxPartRecords, Math.max(minPartRecords, Math.floor(recordsBefore / 20)))

export interface ExportPlan<in out Item> {
  readonly job: ListJob<Item>
  readonly target: ExportTarget
  readonly query: ExportQuery
  readonly format: FileFormat
  /** Returns the list from a block on. */
  readonly sourceSince: (since: NewestBlock) => Effect.Effect<RecordSource<Item>, CommandError>
  /** The command line that continues the export. */
  readonly resumeCommand: string
}

/** Exports a list. Prints how to continue if it does not end. */
export const exportRecords = <Item>(
  plan: ExportPlan<Item>
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.scoped(Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { job, query, resumeCommand, target: { file } } = plan
    yield* lockFile(file)
    const manifest = yield* startExport(plan.target, query)
    if (manifest === null) return yield* terminal.note(`${file} is complete`)
    const recordName = job.source.recordName
    const before = sumOf(runParts(manifest), "records")
    const progress = yield* makeProgress(terminal, recordName, before, job.maxItems)
    const savedManifest = yield* Ref.make(manifest)
    yield* Effect.onExit(writeRecords(plan, savedManifest, progress), (exit) =>
      Effect.gen(function*() {
        yield* terminal.progress(null)
        if (job.inputs !== undefined) yield* job.inputs.report(exit)
        const { elapsed, pages, records } = yield* progress.counts
        if (Exit.isFailure(exit)) {
          const saved = sumOf(runParts(yield* Ref.get(savedManifest)), "records")
          const error = Option.getOrNull(Cause.failureOption(exit.cause))
          if (saved === 0 && error !== null && isPermanent(error)) return yield* Effect.ignore(discard(file))
          // It would fail again
          if (error?._tag === "UsageError") return
          const readAgain = before + records - saved
          return yield* terminal.note(
            `interrupted after ${formatCount(before + records)} ${recordName} ` +
              `(${formatCount(saved)} saved; ${formatCount(readAgain)} will be read again); ` +
              `continue with\n${resumeCommand}`
          )
        }
        const action = manifest.run.firstPart > 0 ? "added" : "exported"
        const to = `${file} (${formatBytes(exit.value)})`
        yield* terminal.note(
          `${action} ${formatCount(before + records)} ${recordName} to ${to}: ` +
            `${formatPages(pages)} in ${formatDuration(elapsed)}`
        )
      }))
  }))

/** A part that is not closed yet. */
interface OpenPart {
  readonly encoder: PartEncoder
  readonly recordsBefore: number
  rows: number
  records: number
  firstBlock: number | null
  lastBlock: number | null
}

/** Returns whether an error stays until the command, the API key or the plan changes. */
const isPermanent = (error: CommandError): boolean => {
  const code = exitCodeOf(error)
  return code === exitCodes.RequestRejectedError || code === exitCodes.NotFoundError ||
    code === exitCodes.AuthenticationError
}

/** Appends the records after the manifest, and returns the size of the complete file. */
const writeRecords = <Item>(
  { format, job, sourceSince, target: { file } }: ExportPlan<Item>,
  savedManifest: Ref.Ref<Manifest>,
  progress: ExportProgress
): Effect.Effect<number, CommandError, Scope.Scope> =>
  Effect.gen(function*() {
    const started = yield* Ref.get(savedManifest)
    let manifest = started
    const save = (next: Manifest) => Effect.zipRight(writeManifest(file, next), Ref.set(savedManifest, next))
    const { run: { since } } = started
    const before = runParts(started)
    const source = retryPages(since === null ? job.source : yield* sourceSince(since), {
      retryFor: job.retryFor,
      onWait: progress.wait
    })
    const partial = yield* openPartial(exportFiles(file).partial, sumOf(started.parts, "bytes"))
    let part = startPart(format, manifest)
    const addRows = (rows: ReadonlyArray<unknown>) => {
      part.rows += rows.length
      return partial.append(part.encoder.add(rows))
    }
    const addTransformed = ({ error, values }: TransformedRecords) =>
      Effect.flatMap(addRows(values), () => error === null ? Effect.void : Effect.fail(error))
    const addPage = (page: RecordPage<Item>) =>
      Effect.gen(function*() {
        const records = page.records()
        manifest = { ...manifest, newest: trackNewest(manifest.newest, records) }
        part.records += records.length
        const [first, last] = [records[0], records.at(-1)]
        if (first !== undefined) part.firstBlock ??= blockOf(first)
        if (last !== undefined) part.lastBlock = blockOf(last)
        yield* addTransformed(
          job.transform === null ? { values: records, error: null } : yield* job.transform.apply(records)
        )
        yield* progress.page(page)
        const isFull = part.records >= partRecords(part.recordsBefore) || part.encoder.size() >= maxPartSize
        // Where the list cannot be resumed, a part would be useless
        if (isFull && job.transform?.holdsRecords !== true && typeof page.nextCursor === "string") {
          manifest = yield* closePart(partial, part, manifest, page.nextCursor)
          yield* save(manifest)
          part = startPart(format, manifest)
        }
        yield* letEventsPass
      })
    const remaining = job.maxItems === null ? null : Math.max(0, job.maxItems - sumOf(before, "records"))
    if (remaining !== 0) {
      yield* source.pages(before.at(-1)?.cursor ?? undefined).pipe(
        Stream.map(since === null ? (page) => page : onlyNew(since)),
        limitRecords(remaining),
        Stream.runForEach(addPage)
      )
    }
    if (job.transform !== null) yield* addTransformed(yield* job.transform.end)
    if (part.rows > 0 || manifest.parts.length === 0) {
      manifest = yield* closePart(partial, part, manifest, null)
    }
    const size = sumOf(manifest.parts, "bytes")
    yield* partial.append(format.end(manifest.parts.map(({ footer }) => footer), size))
    const end = yield* partial.seal
    const bytes = size + end.bytes
    yield* save({ ...manifest, status: "complete", bytes })
    yield* publish(file)
    return bytes
  })

const startPart = (format: FileFormat, { parts }: Manifest): OpenPart => ({
  encoder: format.startPart(sumOf(parts, "bytes")),
  recordsBefore: sumOf(parts, "records"),
  rows: 0,
  records: 0,
  firstBlock: null,
  lastBlock: null
})

/** Makes a part permanent, and returns the manifest with it. */
const closePart = (
  partial: PartialFile,
  { encoder, firstBlock, lastBlock, records, rows }: OpenPart,
  manifest: Manifest,
  cursor: string | null
): Effect.Effect<Manifest, CommandError> =>
  Effect.gen(function*() {
    const { bytes: rest, footer } = encoder.end()
    yield* partial.append(rest)
    const { bytes, sha256 } = yield* partial.seal
    const part = { rows, records, bytes, firstBlock, lastBlock, cursor, sha256, footer }
    return { ...manifest, parts: [...manifest.parts, part] }
  })

/** Removes the records that the last export already has. */
const onlyNew = (since: NewestBlock) => {
  const isNew = isNewSince(since)
  return <Item>(page: RecordPage<Item>): RecordPage<Item> => {
    const records = page.records()
    const flags = records.map(isNew)
    const keep = (_: unknown, index: number) => flags[index] === true
    return { ...page, items: page.items.filter(keep), records: memoise(() => records.filter(keep)) }
  }
}

/** Handles signals between pages. The pages of the sandbox in this process arrive without I/O. */
const letEventsPass = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
