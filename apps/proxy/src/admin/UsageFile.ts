/**
 * Usage in a file of this machine, which only appends: each batch is a line, a JSON array of rows. A line is complete with its last
 * byte, so one that a crash or a full disk cut off is invalid, and skipped.
 *
 * The file is replaced by its sums, without those beyond the retention, when it has grown by 8 MiB and at least doubled, and by a
 * process whose first batch finds more than 8 MiB.
 */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import { dayMillis } from "@blockquarry/http/RateLimitStore"
import * as UsageStore from "@blockquarry/redis/UsageStore"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

type Read = UsageStore.UsageStoreService["read"]

export interface UsageFileOptions {
  readonly file: string
  /** The number of days for which usage is kept. */
  readonly retention: number
}

/** The file is replaced by its sums when it has grown by this many bytes, and at least doubled. */
const minGrowth = 8n * 1024n * 1024n

/** Ends a file that its sums have replaced: what precedes it is in the new file, what follows is not. */
const replacedMark = "\n\"replaced\""

/** A process that was killed while it compacted leaves its file, which the next compaction removes after this time. */
const maxCompactionMillis = 3_600_000

const decodeLine = Schema.decodeUnknownEither(Schema.parseJson(Schema.Array(UsageStore.UsageRow)))

/** Returns the day of a line with one row, as sums are, so that most lines of other days need no parser. */
const dayOfSum = (line: string): string | undefined =>
  line.includes("{", 2) ? undefined : /^\[\{"day":"([\d-]{10})"/.exec(line)?.[1]

export const make = (
  { file, retention }: UsageFileOptions
): Effect.Effect<UsageStore.UsageStoreService, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (files) => {
    const unusable = (error: PlatformError) =>
      new StoreError({
        reason: `${file}: ${error.description ?? error.message}`,
        fix: "expected a file that this process can write"
      })
    const compacted = `${file}.compacting`
    const open = (path: string, options: FileSystem.OpenFileOptions) =>
      Effect.map(files.open(path, options), (handle) => ({
        stat: handle.stat,
        sync: handle.sync,
        write: (text: string) => text === "" ? Effect.void : handle.writeAll(new TextEncoder().encode(text)),
        /** Whether no process has replaced the file. */
        isAtPath: Effect.zipWith(handle.stat, files.stat(path), (a, b) => Equal.equals(a.ino, b.ino)),
        /** Returns the lines from an offset, and the offset of the last one, which another process may still be writing. */
        linesFrom: (from: bigint) =>
          Effect.gen(function*() {
            yield* handle.seek(from, "start")
            const read = yield* handle.readAlloc((yield* handle.stat).size - from)
            const bytes = Option.getOrElse(read, () => new Uint8Array())
            const length = bytes.lastIndexOf(10)
            return { lines: new TextDecoder().decode(bytes.subarray(0, length)), end: from + BigInt(length) }
          })
      }))
    /** Appends a text, and returns the size of the file. */
    const append = (text: string): Effect.Effect<bigint, PlatformError> =>
      Effect.scoped(Effect.gen(function*() {
        const target = yield* open(file, { flag: "a+" })
        const { size } = yield* target.stat
        if (yield* target.isAtPath) {
          yield* target.write(text)
          if (yield* target.isAtPath) return (yield* target.stat).size
          // Another process has replaced the file meanwhile. It copies what precedes its mark.
          const [copied = "", rest] = (yield* target.linesFrom(size)).lines.split(replacedMark)
          if (rest === undefined || copied.includes(text)) return 0n
        }
        return yield* append(text)
      }))
    const read = (part: FileSystem.StreamOptions, ...[from, to, onRow]: Parameters<Read>) => {
      let damaged = 0
      // Another process may still be writing the last line.
      let isLastDamaged = false
      return files.stream(file, part).pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach((line) =>
          Effect.sync(() => {
            if (isLastDamaged) damaged += 1
            isLastDamaged = false
            const day = dayOfSum(line)
            if (line === "" || day !== undefined && (day < from || day > to)) return
            const rows = decodeLine(line)
            isLastDamaged = Either.isLeft(rows)
            for (const row of Either.getOrElse(rows, () => [])) {
              if (row.day >= from && row.day <= to) onRow(row)
            }
          })
        ),
        Effect.tap(() =>
          damaged > 0 ? Effect.logWarning(`${file}: damaged lines not read: ${damaged}`) : Effect.void
        )
      )
    }
    let maxSize = minGrowth
    const compact = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const writtenAt = Option.flatMap(yield* Effect.option(files.stat(compacted)), ({ mtime }) => mtime)
      const isAbandoned = Option.exists(writtenAt, (time) => now - time.getTime() > maxCompactionMillis)
      if (isAbandoned) yield* files.remove(compacted)
      const source = yield* open(file, { flag: "a+" })
      const { mode, size } = yield* source.stat
      const target = yield* open(compacted, { flag: "wx", mode })
      const removal = Effect.whenEffect(files.remove(compacted), target.isAtPath)
      yield* Effect.addFinalizer(() => Effect.ignore(removal))
      maxSize = 2n * size + minGrowth
      // Then no process is writing what precedes the last line break.
      yield* source.write("\n")
      const { end: bytesToRead } = yield* source.linesFrom(size)
      const sums = UsageStore.makeSums(UsageStore.dimensions)
      yield* read({ bytesToRead }, UsageStore.dayOf(now - retention * dayMillis), "9999-12-31", sums.add)
      // Not at once, which would block the process.
      for (const chunk of Arr.chunksOf(sums.rows(), 1000)) {
        yield* target.write(chunk.map((row) => `${JSON.stringify([row])}\n`).join(""))
      }
      const appended = yield* source.linesFrom(bytesToRead)
      yield* target.write(appended.lines)
      yield* target.sync
      // Not if this process was stopped for so long that another has compacted.
      if (!(yield* source.isAtPath) || !(yield* target.isAtPath)) return
      yield* files.rename(compacted, file)
      // Copies what was appended since, also by a process that has opened the file and not yet written.
      yield* Effect.gen(function*() {
        const marked = Effect.zipRight(source.write(replacedMark), source.linesFrom(appended.end))
        const [rest = ""] = (yield* Effect.retry(marked, { times: 1 })).lines.split(replacedMark)
        for (const line of rest.match(/\n[^\n]+/g) ?? []) yield* Effect.retry(append(line), { times: 1 })
      }).pipe(Effect.catchAll((error) => Effect.logError(`compaction lost usage: ${unusable(error).reason}`)))
      maxSize = 2n * (yield* target.stat).size + minGrowth
    }).pipe(
      Effect.scoped,
      // The rows are saved already.
      Effect.catchAll((error) => {
        const reason = error._tag === "SystemError" ? error.reason : undefined
        // Another process does the same.
        if (reason === "AlreadyExists") return Effect.void
        const advice = reason === "Busy" ? "; mount its folder instead of the file alone" : ""
        return Effect.logWarning(`usage file not compacted: ${unusable(error).reason}${advice}`)
      })
    )
    return {
      add: (rows) => {
        const text = rows.length === 0 ? "" : `\n${JSON.stringify(rows)}`
        return append(text).pipe(
          Effect.mapError(unusable),
          Effect.flatMap((size) => text === "" || size < maxSize ? Effect.void : compact)
        )
      },
      read: (...range) => Effect.mapError(read({}, ...range), unusable)
    }
  })

/** Provides the store of usage. */
export const layer = (options: UsageFileOptions): Layer.Layer<never, never, FileSystem.FileSystem> =>
  Layer.effect(UsageStore.UsageStore, make(options))
