/** Configurations without a disk. */
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Load from "../../src/Config/Load.ts"

export interface Entry {
  readonly text: string | Uint8Array
  readonly mode?: number
}

const bytes = ({ text }: Entry): Uint8Array =>
  typeof text === "string" ? new TextEncoder().encode(text) : text

const failed = (reason: PlatformError.SystemErrorReason, path: string) =>
  new PlatformError.SystemError({ reason, module: "FileSystem", method: "stat", pathOrDescriptor: path })

/** Files by whole paths. `null` is one that may not be read, and a folder ends with a slash. */
export const disk = (
  files: Readonly<Record<string, string | Entry | null>>
): Layer.Layer<FileSystem.FileSystem> => {
  const find = (path: string): Effect.Effect<Entry, PlatformError.PlatformError> => {
    if (!Object.hasOwn(files, path)) return Effect.fail(failed("NotFound", path))
    const entry = files[path]
    if (entry === null || entry === undefined) return Effect.fail(failed("PermissionDenied", path))
    return Effect.succeed(typeof entry === "string" ? { text: entry } : entry)
  }
  return FileSystem.layerNoop({
    stat: (path) =>
      Effect.map(
        Object.hasOwn(files, `${path}/`) ? Effect.succeed({ text: "" }) : find(path),
        (entry): FileSystem.File.Info => ({
          type: Object.hasOwn(files, `${path}/`) ? "Directory" : "File",
          mtime: Option.none(),
          atime: Option.none(),
          birthtime: Option.none(),
          dev: 0,
          ino: Option.none(),
          mode: entry.mode ?? 0o100600,
          nlink: Option.none(),
          uid: Option.none(),
          gid: Option.none(),
          rdev: Option.none(),
          size: FileSystem.Size(bytes(entry).byteLength),
          blksize: Option.none(),
          blocks: Option.none()
        })
      ),
    readFile: (path) => Effect.map(find(path), bytes)
  })
}

export const file = "/etc/quarry-proxy.yaml"

export interface Given {
  readonly text?: string
  readonly env?: Readonly<Record<string, string>>
  readonly given?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string | Entry | null>>
}

/** Loads a text as if it were a file. */
export const load = ({ env = {}, files = {}, given = {}, text }: Given) =>
  Load.load({ file: text === undefined ? undefined : file, given, env }).pipe(
    Effect.provide(disk({ ...files, ...(text === undefined ? {} : { [file]: text }) }))
  )

/** What is wrong, a line each, without the name of the file. */
export const problems = (given: Given): Effect.Effect<ReadonlyArray<string>> =>
  Effect.match(load(given), {
    onFailure: ({ message }) => message.replaceAll(file, "").split("\n"),
    onSuccess: () => []
  })

/** Secrets and times in the open, so that configurations can be compared. */
export const plain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { secret: Redacted.value(value) }
  if (Duration.isDuration(value)) return { millis: Duration.toMillis(value) }
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
    : value
}

/** The shown settings of the example and the hidden ones. */
export const uncommented = (example: string): string => example.replace(/^( *)#(?=\S)/gm, "$1")
