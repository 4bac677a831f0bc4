/**
 * Usage in a file of one process, which only appends: each second one line, a JSON array of rows. A line that a crash or a full disk
 * cut off is skipped. The file is replaced by its sums when it has grown.
 */
import { StoreError } from "@blockquarry/http/StoreError"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SavedUsage from "./SavedUsage.ts"
import type { UsageStoreService } from "./UsageStore.ts"

const maxGrowth = 8 * 1024 * 1024

const decodeLine = Schema.decodeUnknownEither(Schema.parseJson(Schema.Array(SavedUsage.UsageRow)))

const unusable = (error: PlatformError): StoreError =>
  new StoreError({ reason: error._tag === "SystemError" ? error.reason : error.message })

export const make = (
  file: string,
  retentionDays: number
): Effect.Effect<UsageStoreService, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (files) => {
    let growth = 0
    // The last line may be cut off.
    let separator = "\n"
    const rows = (onRow: (row: SavedUsage.UsageRow) => void): Effect.Effect<void, StoreError> =>
      files.stream(file).pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach((line) =>
          Effect.sync(() => {
            for (const row of Either.getOrElse(decodeLine(line), () => [])) onRow(row)
          })
        ),
        Effect.catchIf(
          (error) => error._tag === "SystemError" && error.reason === "NotFound",
          () => Effect.void
        ),
        Effect.mapError(unusable)
      )
    const write = (path: string, text: string, flag: "a" | "w") =>
      Effect.mapError(files.writeFileString(path, text, { flag }), unusable)
    const compact = Effect.gen(function*() {
      const first = SavedUsage.dayOf((yield* Clock.currentTimeMillis) - retentionDays * SavedUsage.dayMillis)
      const sums = SavedUsage.makeSums(SavedUsage.dimensions)
      yield* rows((row) => {
        if (row.day >= first) sums.add(row)
      })
      yield* write(`${file}.new`, sums.rows().map((row) => `${JSON.stringify([row])}\n`).join(""), "w")
      yield* Effect.mapError(files.rename(`${file}.new`, file), unusable)
    })
    return {
      add: (added) =>
        Effect.gen(function*() {
          const text = `${separator}${JSON.stringify(added)}\n`
          separator = "\n"
          yield* write(file, text, "a")
          separator = ""
          growth += text.length
          if (growth < maxGrowth) return
          growth = 0
          // The rows are saved already.
          yield* Effect.catchAll(compact, ({ reason }) =>
            Effect.logWarning(`usage file not compacted: ${reason}`))
        }),
      read: (from, to, onRow) =>
        rows((row) => {
          if (row.day >= from && row.day <= to) onRow(row)
        })
    }
  })
