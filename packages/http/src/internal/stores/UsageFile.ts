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
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { StoreError } from "../../StoreError.ts"
import { dayMillis } from "./QuotaWindow.ts"
import * as UsageRows from "./UsageRows.ts"

/** The file is replaced by its sums when it has grown by this many bytes, and at least doubled. */
const minGrowth = 8 * 1024 * 1024

const encoder = new TextEncoder()

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
    const append = (text: string) => files.writeFileString(file, text, { flag: "a" })
    const readSize = Effect.map(files.stat(file), ({ size }) => Number(size))
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
    const writeSums = (path: string, rows: ReadonlyArray<UsageRows.UsageRow>) =>
      Effect.scoped(Effect.gen(function*() {
        const { mode } = yield* files.stat(file)
        const target = yield* files.open(path, { flag: "w", mode })
        // Not at once, which would block the process.
        for (const chunk of Arr.chunksOf(rows, 1000)) {
          yield* target.writeAll(encoder.encode(chunk.map((row) => `${JSON.stringify([row])}\n`).join("")))
        }
        yield* target.sync
      }))
    const compact = Effect.gen(function*() {
      maxSize = 2 * size + minGrowth
      const before = yield* readSize
      const sums = UsageRows.makeSums(UsageRows.dimensions)
      const now = yield* Clock.currentTimeMillis
      yield* read(UsageRows.dayOf(now - retention * dayMillis), "9999-12-31", sums.add)
      const path = `${file}.${yield* Random.nextIntBetween(0, 1_000_000_000)}`
      yield* Effect.zipRight(
        writeSums(path, sums.rows()),
        // Not if another process has appended meanwhile, as when one replaces another.
        Effect.flatMap(readSize, (now) => now === before ? files.rename(path, file) : Effect.void)
      ).pipe(Effect.ensuring(Effect.ignore(files.remove(path))))
      size = yield* readSize
      maxSize = 2 * size + minGrowth
    }).pipe(
      // The rows are saved already.
      Effect.catchAll((error) =>
        Effect.logWarning(
          `usage file not compacted: ${error._tag === "StoreError" ? error.reason : describe(error)}`
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
