/** Emits when the configuration may have changed: on SIGHUP, and when a file that was read has changed. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as NodeFs from "node:fs"
import * as NodePath from "node:path"
import * as Files from "./Files.ts"

/** The parts of the operating system that a watch depends on. */
export type WatchSources = Effect.Effect.Success<typeof nodeSources>

/** Editors and deployment tools write files in several steps. */
const debounceInterval = "200 millis"

/** The minimum time between two checks, for directories in which other files change often. */
const checkInterval = "50 millis"

/**
 * Emits when files have changed. `digests` are those of the files when they were read, so that later changes are detected.
 * Writing a file without changing its contents emits nothing.
 */
export const fileChanges = (
  digests: ReadonlyMap<string, string>,
  { digestOf, events }: Pick<WatchSources, "digestOf" | "events">
): Stream.Stream<unknown> => {
  const files = [...digests.keys()]
  if (files.length === 0) return Stream.empty
  const current = Effect.map(Effect.forEach(files, digestOf), (all) => all.join())
  const settled = events(files).pipe(
    Stream.schedule(Schedule.spaced(checkInterval)),
    Stream.mapEffect(() => current),
    // Changes of other files in the same directory must not delay a reload.
    Stream.changes,
    Stream.debounce(debounceInterval)
  )
  return Stream.make([...digests.values()].join()).pipe(
    Stream.concat(settled),
    Stream.changes,
    Stream.drop(1)
  )
}

/** Emits on each call of a callback. Calls that are not consumed yet are merged. */
const calls = (register: (callback: () => void) => Effect.Effect<unknown, never, Scope.Scope>) =>
  Stream.asyncPush<void>((emit) => register(() => void emit.single(undefined)), {
    bufferSize: 1,
    strategy: "sliding"
  })

/** Signals and file watchers of Node.js. They are closed with the streams. */
export const nodeSources = Effect.map(
  FileSystem.FileSystem,
  (fileSystem) => ({
    signals: calls((callback) =>
      Effect.acquireRelease(
        Effect.sync(() => process.on("SIGHUP", callback)),
        () => Effect.sync(() => process.off("SIGHUP", callback))
      )
    ),
    /** Emits once at the start, and whenever something may have changed in the directories of the files. */
    events: (files: ReadonlyArray<string>) =>
      Stream.unwrap(Effect.map(directoriesOf(files, fileSystem), events)),
    digestOf: (file: string) => Effect.provideService(Files.digestOf(file), FileSystem.FileSystem, fileSystem)
  })
)

/**
 * Directories are watched instead of files, because a watched file emits no events after it is replaced. For a link,
 * the directories of both the link and its target are watched.
 */
const directoriesOf = (files: ReadonlyArray<string>, fileSystem: FileSystem.FileSystem) =>
  Effect.map(
    Effect.forEach(files, (file) => Effect.orElseSucceed(fileSystem.realPath(file), () => file)),
    (targets) => [...new Set([...files, ...targets].map((file) => NodePath.dirname(file)))]
  )

const events = (directories: ReadonlyArray<string>): Stream.Stream<void> =>
  calls((callback) => {
    const watchers = Effect.forEach(directories, (directory) => watch(directory, callback))
    return Effect.zipRight(watchers, Effect.sync(callback))
  })

const watch = (directory: string, callback: () => void) =>
  Effect.acquireRelease(
    // An error is also a change: the directory was removed.
    Effect.try(() => NodeFs.watch(directory, { persistent: false }, callback).on("error", callback)),
    (watcher) => Effect.sync(() => watcher.close())
  ).pipe(Effect.catchAll(() => Effect.logWarning(`cannot watch ${directory}; send SIGHUP to reload instead`)))
