/** Says when the configuration is to be read again: on SIGHUP, and when what was read has changed. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as NodeFs from "node:fs"
import * as NodePath from "node:path"
import * as Files from "./Files.ts"

export type Reason =
  | { readonly _tag: "Signal" }
  | { readonly _tag: "Changed"; readonly files: ReadonlyArray<string> }

/** What the watch sees of the machine. */
export interface Seams {
  /** One for each SIGHUP. Where they come faster than they are taken, one stands for several. */
  readonly signals: Stream.Stream<void>
  /** One as soon as it looks, and one whenever something may have happened in the folders of the files. */
  readonly events: (files: ReadonlyArray<string>) => Stream.Stream<void>
  /** Tells contents apart; a file that cannot be read has one too. */
  readonly fingerprint: (file: string) => Effect.Effect<string>
}

/** Editors and deployments write in several steps. */
const quiet = "200 millis"

/** In a folder where much happens, nothing is read more often. */
const rest = "50 millis"

/**
 * Reasons to read the configuration again, until the scope closes. `read` has the fingerprints of what was read: a
 * change that came between then and now is one too. A file that is written without a change is none. When other files
 * were read then, those want a watch of their own.
 */
export const reasons = (read: ReadonlyMap<string, string>, seams: Seams): Stream.Stream<Reason> =>
  Stream.merge(
    Stream.map(seams.signals, (): Reason => ({ _tag: "Signal" })),
    changes(read, seams)
  )

const changes = (
  read: ReadonlyMap<string, string>,
  { events, fingerprint }: Seams
): Stream.Stream<Reason> => {
  const files = [...read.keys()]
  if (files.length === 0) return Stream.empty
  const look = Effect.map(
    Effect.forEach(files, (file) => Effect.map(fingerprint(file), (now) => [file, now] as const)),
    (all): ReadonlyMap<string, string> => new Map(all)
  )
  return events(files).pipe(
    Stream.schedule(Schedule.spaced(rest)),
    Stream.mapEffect(() => look),
    // What happens to others in the same folder must not put off what happened to ours.
    Stream.changesWith((before, now) => differing(before, now).length === 0),
    Stream.debounce(quiet),
    Stream.mapAccum(read, (before, now) => [now, differing(before, now)]),
    Stream.filter((changed) => changed.length > 0),
    Stream.map((changed) => ({ _tag: "Changed", files: changed }))
  )
}

const differing = (
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>
): ReadonlyArray<string> => [...now.keys()].filter((file) => before.get(file) !== now.get(file))

/** Node's own signals and watchers, which close with the streams. */
export const live: Effect.Effect<Seams, never, FileSystem.FileSystem> = Effect.map(
  FileSystem.FileSystem,
  (fileSystem) => ({
    signals,
    events: (files) => Stream.unwrap(Effect.map(folders(files, fileSystem), events)),
    fingerprint: (file) => Effect.provideService(Files.fingerprint(file), FileSystem.FileSystem, fileSystem)
  })
)

const signals: Stream.Stream<void> = Stream.asyncPush(
  (emit) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const heard = () => void emit.single(undefined)
        process.on("SIGHUP", heard)
        return heard
      }),
      (heard) => Effect.sync(() => process.off("SIGHUP", heard))
    ),
  { bufferSize: 1, strategy: "sliding" }
)

/**
 * Folders are watched, not files: a file that another takes the place of is never heard of again. That of a link is
 * watched, and that of the file which it leads to.
 */
const folders = (
  files: ReadonlyArray<string>,
  fileSystem: FileSystem.FileSystem
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(files, (file) =>
      Effect.map(
        Effect.orElseSucceed(fileSystem.realPath(file), () => file),
        (real) => [NodePath.dirname(file), NodePath.dirname(real)]
      )),
    (all) => [...new Set(all.flat())]
  )

const events = (watched: ReadonlyArray<string>): Stream.Stream<void> =>
  Stream.asyncPush(
    (emit) => {
      const something = () => void emit.single(undefined)
      return Effect.andThen(
        Effect.forEach(watched, (folder) => watch(folder, something), { discard: true }),
        Effect.sync(something)
      )
    },
    { bufferSize: 1, strategy: "sliding" }
  )

const watch = (folder: string, something: () => void) =>
  Effect.acquireRelease(
    Effect.try(() => {
      const watcher = NodeFs.watch(folder, { persistent: false }, something)
      // The folder is gone, which is something too.
      watcher.on("error", something)
      return watcher
    }),
    (watcher) => Effect.sync(() => watcher.close())
  ).pipe(
    Effect.catchAll(() =>
      Effect.logWarning(`changes in ${folder} are not noticed: it cannot be watched; send SIGHUP instead`)
    )
  )
