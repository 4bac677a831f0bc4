/**
 * Exports of a list to a file that survive crashes.
 *
 * Parts are appended to `FILE.partial`. When the bytes of a part are on disk, the manifest is replaced by one with the part
 * and the position after it. An export continues from the last part of the manifest. The bytes of the file depend on the
 * records only, so they are those of an export without the interruption. The complete file is renamed to FILE.
 *
 * An export that ends early, but is not killed, also saves the records after the last part.
 */
import { onOneLine } from "@blockquarry/http/gateway/RawRecords"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Types from "effect/Types"
import * as fs from "node:fs/promises"
import { setFlagsFromString } from "node:v8"
import { isEnabled } from "../args/ArgumentValues.ts"
import type { ApiClients } from "../connection/ApiClients.ts"
import { type CommandError, exitCodeOf, exitCodes } from "../errors/CommandError.ts"
import { type FileLock, lockFile } from "../files/FileLock.ts"
import { attempt, ifExists, remove, sizeOf } from "../files/Files.ts"
import type { FileFormat, PartEncoder } from "../formats/RecordFormat.ts"
import {
  type InvalidRecord,
  limitRecords,
  type ListPosition,
  noteInvalid,
  type RecordPage,
  type RecordRow,
  type TransformedRecords
} from "../list/RecordList.ts"
import { retryPages } from "../list/RetryPages.ts"
import { countOf, formatCount } from "../render/Count.ts"
import { formatDuration } from "../render/Time.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { takeOverOption } from "./ExportOptions.ts"
import type { ExportPlan } from "./ExportPlan.ts"
import { type ExportProgress, formatBytes, makeProgress } from "./ExportProgress.ts"
import { discard, exportFiles, planStart, publish, writeManifest } from "./ExportStart.ts"
import {
  cursorOf,
  makeTail,
  type Manifest,
  type NewestBlock,
  type Part,
  recordsOf,
  runParts,
  savedRecords,
  sumOf,
  sumOfOmitted
} from "./Manifest.ts"
import { openPartial, type PartialFile } from "./PartialFile.ts"
import { onlyNew, sinceBlock, trackNewest } from "./SinceLast.ts"

/** The size of a part is compared with its limit after so many of its records, so that its end does not depend on pages. */
const recordsPerStep = 100

/** Exports a list. Prints how to continue if it does not end. */
export const exportRecords = <Item>(
  plan: ExportPlan<Item>
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.scoped(Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    // Keeps the young generation of the heap at its size after the start, 16 MiB. Node.js 24 lets it grow to 128 MiB, which
    // makes an export no faster. The option for its maximum has no effect once Node.js runs
    setFlagsFromString("--semi-space-growth-factor=1")
    const { job: { inputs, list, maxItems }, query, resumeCommand, target } = plan
    const { file } = target
    const { recordName } = list
    const samePipe = inputs?.pipe ? `pass the same ${inputs.pipe}, and ` : ""
    const continueWith = `${samePipe}continue with\n${resumeCommand}`
    const lock = yield* lockFile(file, isEnabled(plan.job.invocation.values, takeOverOption.name))
    const { manifest } = yield* planStart(target, query, list.operation).pipe(
      Effect.tap(({ prepare }) => prepare),
      Effect.onInterrupt(() => terminal.note(`interrupted before reading ${recordName}; ${continueWith}`))
    )
    if (manifest.status === "complete") {
      yield* terminal.note(`${file} is complete`)
      return inputs?.restore(manifest.inputs)
    }
    const before = savedRecords(manifest)
    const progress = yield* makeProgress(terminal, recordName, before, maxItems)
    const savedManifest = yield* Ref.make(manifest)
    yield* Effect.onExit(writeRecords(plan, lock, savedManifest, progress), (exit) =>
      Effect.gen(function*() {
        yield* terminal.progress(null)
        if (inputs !== undefined) yield* inputs.report(exit)
        const { elapsed, pages, records } = yield* progress.counts
        const last = yield* Ref.get(savedManifest)
        const count = countOf(before + records, recordName)
        if (Exit.isFailure(exit)) {
          const saved = savedRecords(last)
          const error = Option.getOrNull(Cause.failureOption(exit.cause))
          if (saved === 0 && error !== null && isPermanent(error)) {
            return yield* Effect.ignore(Effect.zipRight(lock.requireHeld, discard(file)))
          }
          // It would fail again
          if (error?._tag === "UsageError") return
          const readAgain = before + records - saved
          const saving = readAgain === 0
            ? `${saved === 0 ? "none" : "all"} saved`
            : `${formatCount(saved)} saved; ${formatCount(readAgain)} will be read again`
          return yield* terminal.note(`interrupted after ${count} (${saving}); ${continueWith}`)
        }
        const action = manifest.run.firstPart > 0 ? "added" : "exported"
        const leftOut = sumOfOmitted(runParts(last), "leftOut")
        const unidentified = sumOfOmitted(runParts(last), "unidentified")
        const invalid = sumOfOmitted(runParts(last), "invalid")
        const omitted = (leftOut === 0 ? "" : `; ${formatCount(leftOut)} repeated left out`) +
          (unidentified === 0 ? "" : `; ${formatCount(unidentified)} without an identity may be repeated`) +
          (invalid === 0 ? "" : `; ${formatCount(invalid)} invalid in ${exportFiles(file).invalid}`)
        const to = `${file} (${formatBytes(exit.value)})`
        yield* terminal.note(
          `${action} ${count} to ${to}: ${countOf(pages, "pages")} in ${formatDuration(elapsed)}${omitted}`,
          invalid === 0 ? "notice" : "required"
        )
      }))
  }))

/** Returns the end of the line of a record that cannot be read, which has no other record. */
const invalidEnd = ({ text }: Pick<InvalidRecord, "text">): string => `,"record":${onOneLine(text)}}\n`

const invalidLine = ({ text, ...named }: InvalidRecord, page: number): string =>
  onOneLine(JSON.stringify({ page, ...named }).slice(0, -1)) + invalidEnd({ text })

/** A part that is not full yet. The list cannot be continued after its records where the cursor is null. */
type OpenPart =
  & { readonly encoder: PartEncoder; newest: NewestBlock | null; previous: ReadonlyArray<string> }
  & Types.DeepMutable<Omit<Part, "bytes" | "sha256" | "footer">>

/** Returns whether an error stays until the command, the API key or the plan changes. */
const isPermanent = (error: CommandError): boolean => {
  const code = exitCodeOf(error)
  return code === exitCodes.RequestRejectedError || code === exitCodes.NotFoundError ||
    code === exitCodes.AuthenticationError
}

/** Opens the file of the records that cannot be read, which `--skip-invalid` leaves out. */
const openInvalid = (file: string, { parts, run, tail }: Manifest, isWritten: boolean) =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { partialInvalid } = exportFiles(file)
    const bytes = sumOfOmitted(parts, "invalidBytes") + (tail?.omitted.invalidBytes ?? 0)
    if (bytes > ((yield* sizeOf(partialInvalid)) ?? 0)) {
      yield* terminal.note(`${partialInvalid} has changed: records are missing`, "required")
    }
    const partial = isWritten ? yield* openPartial(partialInvalid, bytes) : null
    // --since-last reads the newest block again, and with it what earlier runs could not read
    const earlierBytes = sumOfOmitted(parts.slice(0, run.firstPart), "invalidBytes")
    const reported = yield* attempt("read", partialInvalid, () => ifExists(fs.readFile(partialInvalid)))
    return {
      isNew: (record: InvalidRecord): boolean =>
        reported?.subarray(0, earlierBytes).includes(invalidEnd(record)) !== true,
      /** Writes and names the records of a page, and counts what is not in the file. */
      add: (page: RecordPage<unknown>, omitted: OpenPart["omitted"], number: number) =>
        Effect.gen(function*() {
          const lines = Buffer.from(page.invalid.map((record) => invalidLine(record, number)).join(""))
          if (partial !== null) yield* partial.append(lines)
          yield* noteInvalid(terminal, page, number)
          omitted.leftOut += page.leftOut
          omitted.unidentified += page.unidentified
          omitted.invalid += page.invalid.length
          omitted.invalidBytes += lines.length
        }),
      seal: partial?.seal ?? Effect.void
    }
  })

/** Appends the records after the manifest, and returns the size of the complete file. */
const writeRecords = <Item>(
  { format, job, partLimits, target: { file } }: ExportPlan<Item>,
  { requireHeld }: FileLock,
  savedManifest: Ref.Ref<Manifest>,
  progress: ExportProgress
): Effect.Effect<number, CommandError, ApiClients | CommandTerminal | Scope.Scope> =>
  Effect.gen(function*() {
    const { invocation, list, transform } = job
    const started = yield* Ref.get(savedManifest)
    let manifest: Manifest = { ...started, tail: null }
    const save = (next: Manifest) =>
      requireHeld.pipe(
        Effect.zipRight(invalid.seal),
        Effect.zipRight(writeManifest(file, next)),
        Effect.zipRight(Ref.set(savedManifest, next))
      )
    const { run: { since } } = started
    const source = since === null
      ? job.source
      : yield* yield* list.sourceOf({ ...invocation, values: sinceBlock(invocation.values, since) })
    const { pages } = retryPages(source, job.retryFor, progress.wait)
    const partial = yield* openPartial(exportFiles(file).partial, sumOf(started.parts, "bytes"))
    const invalid = yield* openInvalid(file, started, isEnabled(invocation.values, "skip-invalid"))
    const start = cursorOf(started)
    let part = startPart(format, manifest, start)

    const addRows = ({ error, values }: TransformedRecords) =>
      Effect.gen(function*() {
        part.rows += values.length
        part.cursor = null
        yield* partial.append(part.encoder.add(values))
        if (error !== null) yield* Effect.fail(error)
      })
    const addRecords = (rows: ReadonlyArray<Pick<RecordRow<Item>, "record" | "after">>, end: ListPosition) =>
      Effect.gen(function*() {
        for (let added = 0, isFirst = true; isFirst || added < rows.length; isFirst = false) {
          const next = rows.slice(added, added + recordsPerStep - part.records % recordsPerStep)
          added += next.length
          const some = next.map(({ record }) => record())
          const after = (added < rows.length ? next.at(-1)?.after() : null) ?? end
          const cursor = transform?.holdsRecords === true ? null : after.cursor ?? null
          yield* addRows(transform === null ? { values: some, error: null } : yield* transform.apply(some))
          part.records += some.length
          part.newest = trackNewest(list.operation, part.newest, some)
          part.cursor = cursor
          part.previous = after.previous
          const isLarge = part.records % recordsPerStep === 0 && part.encoder.size() >= partLimits.bytes
          if (part.records < partLimits.records && !isLarge) continue
          manifest = yield* closePart(partial, part, manifest)
          // Where the list cannot be resumed, the manifest would be useless
          if (cursor !== null) yield* save(manifest)
          part = startPart(format, manifest, cursor)
        }
      })
    const addPage = (page: RecordPage<Item>) =>
      // Between pages, an interruption can save everything
      Effect.gen(function*() {
        yield* requireHeld
        if (page.isStart) {
          const number = sumOfOmitted(runParts(manifest), "pages") + ++part.omitted.pages
          yield* invalid.add(page, part.omitted, number)
        }
        yield* addRecords(page.rows, page.end)
        yield* progress.page(page)
      }).pipe(Effect.uninterruptible, Effect.zipLeft(nextTurn))
    const readPages = Effect.gen(function*() {
      const saved = savedRecords(started)
      const { previous, tail } = started
      if (tail !== null) {
        part.omitted = { ...tail.omitted }
        const rows = recordsOf(tail).map((record) => ({
          record: () => record,
          after: () => ({ cursor: null, previous })
        }))
        yield* addRecords(rows, { cursor: start, previous })
      }
      if (job.maxItems !== null && job.maxItems <= saved) return
      yield* pages(start ?? undefined, previous).pipe(
        Stream.map(since === null ? (page) => page : onlyNew(list.operation, since)),
        limitRecords(job.maxItems === null ? null : job.maxItems - saved),
        Stream.map((page) => ({ ...page, invalid: page.invalid.filter(invalid.isNew) })),
        Stream.runForEach(addPage)
      )
      if (transform !== null) yield* addRows(yield* transform.end)
    })
    /** Saves an export that ends early up to its last complete page. */
    const saveRest = Effect.gen(function*() {
      const { cursor, encoder } = part
      if (cursor === null || cursor === cursorOf(yield* Ref.get(savedManifest))) return
      // The file may be that of the next owner
      yield* requireHeld
      const pending = encoder.pending()
      yield* save(
        pending.length === 0
          ? yield* closePart(partial, part, manifest)
          : { ...manifest, previous: part.previous, tail: makeTail(pending, cursor, part.omitted) }
      )
    })
    const finish = Effect.gen(function*() {
      if (part.rows > 0 || part.omitted.invalid + part.omitted.leftOut > 0 || manifest.parts.length === 0) {
        part.cursor = null
        manifest = yield* closePart(partial, part, manifest)
      }
      const size = sumOf(manifest.parts, "bytes")
      yield* partial.append(format.end(manifest.parts.map(({ footer }) => footer), size))
      const end = yield* partial.seal
      const bytes = size + end.bytes
      yield* save({ ...manifest, status: "complete", bytes, inputs: job.inputs?.counts() ?? null })
      yield* publish(file)
      if (sumOfOmitted(manifest.parts, "invalid") === 0) yield* remove(exportFiles(file).invalid)
      return bytes
    })
    yield* Effect.onError(readPages, () => Effect.ignore(saveRest))
    return yield* Effect.uninterruptible(finish)
  })

const startPart = (format: FileFormat, manifest: Manifest, cursor: string | null): OpenPart => ({
  encoder: format.startPart(sumOf(manifest.parts, "bytes")),
  rows: 0,
  records: 0,
  omitted: { pages: 0, leftOut: 0, unidentified: 0, invalid: 0, invalidBytes: 0 },
  newest: manifest.newest,
  previous: manifest.previous,
  cursor
})

/** Makes the records of a part permanent, and returns the manifest with them. */
const closePart = (
  partial: PartialFile,
  { encoder, newest, previous, ...counts }: OpenPart,
  manifest: Manifest
): Effect.Effect<Manifest, CommandError> =>
  Effect.gen(function*() {
    const { bytes: rest, footer } = encoder.end()
    yield* partial.append(rest)
    const { bytes, sha256 } = yield* partial.seal
    return { ...manifest, newest, previous, parts: [...manifest.parts, { ...counts, bytes, sha256, footer }] }
  })

/** Waits for the next turn of the event loop, in which signals are handled. The pages of the sandbox in this process arrive without I/O. */
const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
