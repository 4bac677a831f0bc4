/** Loads configurations from files in memory. */
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { formatDiagnostic } from "../../src/config/Diagnostic.ts"
import * as Load from "../../src/config/Load.ts"

export interface FileEntry {
  readonly text: string | Uint8Array
  readonly mode?: number
}

const bytes = ({ text }: FileEntry): Uint8Array =>
  typeof text === "string" ? new TextEncoder().encode(text) : text

const failed = (reason: PlatformError.SystemErrorReason, path: string) =>
  new PlatformError.SystemError({ reason, module: "FileSystem", method: "stat", pathOrDescriptor: path })

/** Files by absolute paths. `null` is an unreadable file; the path of a directory ends with a slash. */
export type Files = Readonly<Record<string, string | FileEntry | null>>

export const fakeFileSystem = (files: Files): Layer.Layer<FileSystem.FileSystem> => {
  const find = (path: string): Effect.Effect<FileEntry, PlatformError.PlatformError> => {
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

/** A base URL. Without any, every configuration causes a warning. */
const baseUrl = { QUARRY_BASE_URL: "https://data.example.com" }

/** A base URL and an API key. */
export const baseUrlAndKey = { ...baseUrl, QUARRY_API_KEY: "key-of-the-service" }

const file = "/etc/quarry-proxy.yaml"

export interface LoadInput {
  readonly text?: string
  readonly env?: Readonly<Record<string, string>>
  readonly optionValues?: Readonly<Record<string, string>>
  readonly files?: Files
}

/** The files that the example configuration names. */
export const filesOfExample: Files = {
  "/run/secrets/quarry-key": "key-of-the-service",
  "/run/secrets/sentinel": "of-the-sentinels",
  ...Object.fromEntries(
    ["redis-ca.pem", "redis-client.pem", "redis-client.key"].map((
      name
    ) => [`/run/secrets/${name}`, "-----BEGIN X-----\n"])
  ),
  "/etc/weights.json": `[{"path":"/erc20/{address}/price","price":"50","rateLimitCost":"5"}]`
}

/** Loads `text` as the configuration file. */
export const load = ({ env = {}, files = {}, optionValues = {}, text }: LoadInput) =>
  Load.load({ optionValues, env: text === undefined ? env : { ...env, QUARRY_PROXY_CONFIG: file } }).pipe(
    Effect.provide(fakeFileSystem({ ...files, ...(text === undefined ? {} : { [file]: text }) }))
  )

/** The errors, one line each, without the name of the file. */
export const diagnosticsOf = (input: LoadInput): Effect.Effect<ReadonlyArray<string>> =>
  Effect.match(load(input), {
    onFailure: ({ diagnostics }) => diagnostics.map((each) => formatDiagnostic(each).replaceAll(file, "")),
    onSuccess: () => []
  })

/** Reveals secrets and durations, so that configurations can be compared. */
export const toPlain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { secret: Redacted.value(value) }
  if (Duration.isDuration(value)) return { millis: Duration.toMillis(value) }
  if (Array.isArray(value)) return value.map(toPlain)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]))
    : value
}

/** The example with its hidden keys, and a URL of Redis that uses all of its section. */
export const uncommented = (example: string): string =>
  example.replace(/^( *)#(?=\S)/gm, "$1").replace("redis://redis:6379", "rediss+sentinel://redis/main")
