/** Says when the configuration is to be read again: on SIGHUP, and when what was read has changed. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as NodeFs from "node:fs"
import * as NodePath from "node:path"
import * as Files from "./Files.ts"

export type ReloadTrigger =
  | { readonly _tag: "Signal" }
  | { readonly _tag: "Changed"; readonly files: ReadonlyArray<string> }

/** What the watch sees of the machine. */
export interface WatchSources {
  /** One for each SIGHUP. Where they come faster than they are taken, one stands for several. */
  readonly signals: Stream.Stream<void>
  /** One as soon as it looks, and one whenever something may have happened in the folders of the files. */
  readonly events: (files: ReadonlyArray<string>) => Stream.Stream<void>
  /** Tells contents apart; a file that cannot be read has one too. */
  readonly digestOf: (file: string) => Effect.Effect<string>
}

/** Editors and deployments write in several steps. */
const debounceInterval = "200 millis"

/** In a folder where much happens, nothing is read more often. */
const pollInterval = "50 millis"

/**
 * Reasons to read the configuration again, until the scope closes. `read` has the fingerprints of what was read: a
 * change that came between then and now is one too. A file that is written without a change is none. When other files
 * were read then, those want a watch of their own.
 */
export const reloadTriggers = (
  digests: ReadonlyMap<string, string>,
  sources: WatchSources
): Stream.Stream<ReloadTrigger> =>
  Stream.merge(
    Stream.map(sources.signals, (): ReloadTrigger => ({ _tag: "Signal" })),
    changes(digests, sources)
  )

const changes = (
  digests: ReadonlyMap<string, string>,
  { events, digestOf }: WatchSources
): Stream.Stream<ReloadTrigger> => {
  const files = [...digests.keys()]
  if (files.length === 0) return Stream.empty
  const readDigests = Effect.map(
    Effect.forEach(files, (file) => Effect.map(digestOf(file), (digest) => [file, digest] as const)),
    (all): ReadonlyMap<string, string> => new Map(all)
  )
  return events(files).pipe(
    Stream.schedule(Schedule.spaced(pollInterval)),
    Stream.mapEffect(() => readDigests),
    // What happens to others in the same folder must not put off what happened to ours.
    Stream.changesWith((before, current) => changedFiles(before, current).length === 0),
    Stream.debounce(debounceInterval),
    Stream.mapAccum(digests, (before, current) => [current, changedFiles(before, current)]),
    Stream.filter((changed) => changed.length > 0),
    Stream.map((changed) => ({ _tag: "Changed", files: changed }))
  )
}

const changedFiles = (
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>
): ReadonlyArray<string> => [...now.keys()].filter((file) => before.get(file) !== now.get(file))

/** Node's own signals and watchers, which close with the streams. */
export const nodeSources: Effect.Effect<WatchSources, never, FileSystem.FileSystem> = Effect.map(
  FileSystem.FileSystem,
  (fileSystem) => ({
    signals,
    events: (files) => Stream.unwrap(Effect.map(folders(files, fileSystem), events)),
    digestOf: (file) => Effect.provideService(Files.digestOf(file), FileSystem.FileSystem, fileSystem)
  })
)

const signals: Stream.Stream<void> = Stream.asyncPush(
  (emit) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const listener = () => void emit.single(undefined)
        process.on("SIGHUP", listener)
        return listener
      }),
      (listener) => Effect.sync(() => process.off("SIGHUP", listener))
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
      const onEvent = () => void emit.single(undefined)
      return Effect.andThen(
        Effect.forEach(watched, (folder) => watch(folder, onEvent), { discard: true }),
        Effect.sync(onEvent)
      )
    },
    { bufferSize: 1, strategy: "sliding" }
  )

const watch = (folder: string, onEvent: () => void) =>
  Effect.acquireRelease(
    Effect.try(() => {
      const watcher = NodeFs.watch(folder, { persistent: false }, onEvent)
      // The folder is gone, which is something too.
      watcher.on("error", onEvent)
      return watcher
    }),
    (watcher) => Effect.sync(() => watcher.close())
  ).pipe(
    Effect.catchAll(() =>
      Effect.logWarning(`changes in ${folder} are not noticed: it cannot be watched; send SIGHUP instead`)
    )
  )
