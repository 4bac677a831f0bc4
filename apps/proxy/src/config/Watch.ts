/** Emits when the configuration may have changed: on SIGHUP, and when a file that was read has changed. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Files from "./Files.ts"

/**
 * Emits when the contents of files have changed. `digests` are those of the files when they were read. Files are read once per
 * second, because network file systems and links that Kubernetes replaces cause no events that can be relied on.
 */
export const fileChanges = (digests: ReadonlyMap<string, string>) => {
  const current = Effect.forEach(
    [...digests.keys()],
    (file) => Effect.map(Files.readFile(file), ({ digest }) => digest)
  )
  return Stream.make([...digests.values()]).pipe(
    Stream.concat(Stream.repeatEffectWithSchedule(current, Schedule.spaced("1 second"))),
    Stream.map((all) => all.join()),
    Stream.changes,
    Stream.drop(1),
    // Editors write files in several steps.
    Stream.debounce("100 millis")
  )
}

/** Emits on SIGHUP. Signals that are not consumed yet are merged. */
export const signals = Stream.asyncPush<void>((emit) => {
  const callback = () => void emit.single(undefined)
  return Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", callback)),
    () => Effect.sync(() => process.off("SIGHUP", callback))
  )
}, { bufferSize: 1, strategy: "sliding" })
