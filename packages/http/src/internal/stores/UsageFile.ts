/**
 * Usage in a file, which only appends: each batch is a line, a JSON array of rows. A line is complete with its last byte, so one that
 * a crash or a full disk cut off is invalid, and skipped.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { StoreError } from "../../StoreError.ts"
import { dayMillis } from "./QuotaWindow.ts"
import * as UsageRows from "./UsageRows.ts"

/** The file is replaced by its sums when it has grown by this many bytes, and at least doubled. */
const minGrowth = 8 * 1024 * 1024

const encoder = new TextEncoder()

/** Ends a file that its sums have replaced: what precedes it is in the new file, what follows is not. */
const replacedMark = "\n\"replaced\""

/** A compaction that was killed leaves its file, which the next start removes after this time. In milliseconds. */
const maxCompaction = 3_600_000

const describe = (error: PlatformError): string =>
  (error._tag === "SystemError" ? error.description : undefined) ?? error.message

const decodeLine = Schema.decodeUnknownEither(Schema.parseJson(Schema.Array(UsageRows.UsageRow)))

/** Returns the day of a line with one row, as sums are, so that most lines of other days need no parser. */
const dayOfSum = (line: string): string | undefined =>
  line.includes("{", 2) ? undefined : /^\[\{"day":"([\d-]{10})"/.exec(line)?.[1]

export const make = (
  { file, retention }: { readonly file: string; readonly retention: number }
): Effect.Effect<UsageRows.UsageStoreService, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const unusable = (error: PlatformError) =>
      new StoreError({
        reason: `${file}: ${describe(error)}`,
        fix: "expected a file that this process can write"
      })
    const compacted = `${file}.compacting`
    const sameFile = (a: FileSystem.File.Info, b: FileSystem.File.Info) => Equal.equals(a.ino, b.ino)
    const open = (path: string, options: FileSystem.OpenFileOptions) =>
      Effect.map(files.open(path, options), (handle) => ({
        stat: handle.stat,
        sync: handle.sync,
        write: (text: string) => text === "" ? Effect.void : handle.writeAll(encoder.encode(text)),
        /** Returns the text from an offset to the end. */
        textFrom: (from: number) =>
          Effect.gen(function*() {
            const { size } = yield* handle.stat
            yield* handle.seek(FileSystem.Size(from), "start")
            const bytes = yield* handle.readAlloc(FileSystem.Size(Number(size) - from))
            return Option.match(bytes, {
              onNone: () => "",
              onSome: (found) => new TextDecoder().decode(found)
            })
          })
      }))
    const append = (text: string): Effect.Effect<void, PlatformError> =>
      Effect.scoped(Effect.gen(function*() {
        const target = yield* open(file, { flag: "a+" })
        yield* target.write(text)
        if (sameFile(yield* target.stat, yield* files.stat(file))) return
        // Another process has replaced the file since it was opened. It has not copied what follows its mark.
        const written = yield* target.textFrom(0)
        const mark = written.lastIndexOf(replacedMark)
        if (mark >= 0 && mark < written.lastIndexOf(text)) yield* append(text)
      }))
    const readSize = Effect.map(files.stat(file), ({ size }) => Number(size))
    yield* Effect.gen(function*() {
      const { mtime } = yield* files.stat(compacted)
      const startedAt = Option.match(mtime, { onNone: () => 0, onSome: (time) => time.getTime() })
      if ((yield* Clock.currentTimeMillis) - startedAt > maxCompaction) yield* files.remove(compacted)
    }).pipe(Effect.ignore)
    const read: UsageRows.UsageStoreService["read"] = (from, to, onRow) =>
      files.stream(file).pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach((line) =>
          Effect.sync(() => {
            const day = dayOfSum(line)
            if (day !== undefined && (day < from || day > to)) return
            for (const row of Either.getOrElse(decodeLine(line), () => [])) {
              if (row.day >= from && row.day <= to) onRow(row)
            }
          })
        ),
        Effect.mapError(unusable)
      )
    let size = yield* Effect.orElseSucceed(readSize, () => 0)
    let maxSize = minGrowth
    const compact = Effect.gen(function*() {
      maxSize = 2 * size + minGrowth
      const source = yield* open(file, { flag: "a+" })
      const { mode, size: before } = yield* source.stat
      // Not while another process does the same.
      const target = yield* open(compacted, { flag: "wx", mode })
      const isReplaced = yield* Effect.gen(function*() {
        const sums = UsageRows.makeSums(UsageRows.dimensions)
        const now = yield* Clock.currentTimeMillis
        yield* read(UsageRows.dayOf(now - retention * dayMillis), "9999-12-31", sums.add)
        // Not at once, which would block the process.
        for (const chunk of Arr.chunksOf(sums.rows(), 1000)) {
          yield* target.write(chunk.map((row) => `${JSON.stringify([row])}\n`).join(""))
        }
        yield* target.sync
        // Not if another process has appended or compacted meanwhile, as when one replaces another.
        const latest = yield* files.stat(file)
        const isSame = latest.size === before && sameFile(latest, yield* source.stat)
        yield* isSame ? files.rename(compacted, file) : files.remove(compacted)
        return isSame
      }).pipe(Effect.onError(() => Effect.ignore(files.remove(compacted))))
      if (!isReplaced) return
      // Copies what was appended meanwhile, also by a process that has opened the file and not yet written.
      yield* source.write(replacedMark)
      const rest = yield* source.textFrom(Number(before))
      yield* append(rest.slice(0, rest.indexOf(replacedMark)))
      size = yield* readSize
      maxSize = 2 * size + minGrowth
    }).pipe(
      Effect.scoped,
      // The rows are saved already.
      Effect.catchAll((error) =>
        Effect.logWarning(
          `usage file not compacted: ${error._tag === "StoreError" ? error.reason : describe(error)}; ` +
            "a file that is mounted alone cannot be replaced: mount its folder"
        )
      )
    )
    return {
      add: (rows) =>
        Effect.suspend(() => {
          const text = rows.length === 0 ? "" : `\n${JSON.stringify(rows)}`
          size += text.length
          return Effect.zipRight(
            Effect.mapError(append(text), unusable),
            Effect.suspend(() => text === "" || size < maxSize ? Effect.void : compact)
          )
        }),
      read
    }
  })
