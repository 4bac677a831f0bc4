/** Reasons to reload the configuration. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as NodeFs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../src/config/Files.ts"
import * as Watch from "../../src/config/Watch.ts"

/** Watches files in memory. */
const watching = (read: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const contents = new Map(Object.entries(read))
    const events = yield* Queue.unbounded<void>()
    const seen = { changes: 0 }
    const changes = Watch.fileChanges(new Map(Object.entries(read)), {
      events: () => Stream.fromQueue(events),
      digestOf: (file) => Effect.sync(() => contents.get(file) ?? "gone")
    })
    yield* Effect.forkScoped(Stream.runForEach(changes, () => Effect.sync(() => seen.changes += 1)))
    const touch = Queue.offer(events, undefined)
    return {
      seen,
      touch,
      write: (file: string, content: string | null) =>
        Effect.zipRight(
          Effect.sync(() => content === null ? contents.delete(file) : contents.set(file, content)),
          touch
        )
    }
  })

describe("a changed file", () => {
  it.scoped("causes a reload once changes stop", () =>
    Effect.gen(function*() {
      const { seen, write } = yield* watching({ a: "1", b: "1" })
      yield* write("a", "2")
      yield* TestClock.adjust("150 millis")
      yield* write("b", "3")
      yield* TestClock.adjust("150 millis")
      expect(seen.changes).toBe(0)
      yield* TestClock.adjust("200 millis")
      expect(seen.changes).toBe(1)
      yield* write("b", null)
      yield* TestClock.adjust("1 second")
      expect(seen.changes).toBe(2)
    }))

  it.scoped("causes no reload if the contents are the same, or the same again", () =>
    Effect.gen(function*() {
      const { seen, touch, write } = yield* watching({ a: "1" })
      yield* touch
      yield* TestClock.adjust("1 second")
      yield* write("a", "2")
      yield* TestClock.adjust("100 millis")
      yield* write("a", "1")
      yield* TestClock.adjust("1 second")
      expect(seen.changes).toBe(0)
    }))

  it.scoped("causes a reload despite changes of other files in the directory", () =>
    Effect.gen(function*() {
      const { seen, touch, write } = yield* watching({ a: "1" })
      yield* write("a", "2")
      for (let n = 0; n < 20; n++) yield* Effect.zipRight(touch, TestClock.adjust("30 millis"))
      expect(seen.changes).toBe(1)
    }))
})

it.scopedLive("SIGHUP is received only while the stream is consumed", () =>
  Effect.gen(function*() {
    const before = process.listenerCount("SIGHUP")
    const { signals } = yield* Watch.nodeSources
    const fiber = yield* Effect.fork(Stream.runHead(signals))
    yield* Effect.repeat(Effect.yieldNow(), { until: () => process.listenerCount("SIGHUP") > before })
    process.emit("SIGHUP")
    expect((yield* Fiber.join(fiber))._tag).toBe("Some")
    expect(process.listenerCount("SIGHUP")).toBe(before)
  }).pipe(Effect.provide(NodeFileSystem.layer)))

describe("files on disk", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => NodeFs.mkdtempSync(join(tmpdir(), "quarry-proxy-"))),
    (path) => Effect.sync(() => NodeFs.rmSync(path, { recursive: true }))
  )

  /** Waits until a change is noticed. */
  const noticed = (file: string, change: () => void) =>
    Effect.gen(function*() {
      const read = new Map([[file, yield* Files.digestOf(file)]])
      const fiber = yield* Effect.fork(Stream.runHead(Watch.fileChanges(read, yield* Watch.nodeSources)))
      yield* Effect.sync(change)
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "Some" })
    }).pipe(Effect.provide(NodeFileSystem.layer))

  it.scopedLive("are watched when they are written, replaced, removed and created", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "quarry-proxy.yaml")
      NodeFs.writeFileSync(file, "a")
      yield* noticed(file, () => NodeFs.writeFileSync(file, "b"))
      const replace = () => {
        NodeFs.writeFileSync(join(path, "new"), "c")
        NodeFs.renameSync(join(path, "new"), file)
      }
      yield* noticed(file, replace)
      yield* noticed(file, () => NodeFs.rmSync(file))
      yield* noticed(file, () => NodeFs.writeFileSync(file, "d"))
    }))

  it.scopedLive("are watched behind links that Kubernetes swaps", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const version = (name: string, text: string) => {
        NodeFs.mkdirSync(join(path, name))
        NodeFs.writeFileSync(join(path, name, "quarry-proxy.yaml"), text)
        NodeFs.symlinkSync(name, join(path, "..data_tmp"))
        NodeFs.renameSync(join(path, "..data_tmp"), join(path, "..data"))
      }
      version("..1", "a")
      const file = join(path, "quarry-proxy.yaml")
      NodeFs.symlinkSync(join("..data", "quarry-proxy.yaml"), file)
      yield* noticed(file, () => version("..2", "b"))
      const swap = () => {
        version("..3", "c")
        NodeFs.rmSync(join(path, "..2"), { recursive: true })
      }
      yield* noticed(file, swap)
    }))

  it.scopedLive("are watched behind a link to another directory", () =>
    Effect.gen(function*() {
      const [path, other] = [yield* folder, yield* folder]
      NodeFs.writeFileSync(join(other, "real"), "a")
      NodeFs.symlinkSync(join(other, "real"), join(path, "link"))
      const file = join(path, "link")
      yield* noticed(file, () => NodeFs.writeFileSync(join(other, "real"), "b"))
    }))

  it.scopedLive("are compared once if their directory cannot be watched", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "gone", "file")
      const changes = Watch.fileChanges(
        new Map([[file, "before"]]),
        yield* Effect.provide(Watch.nodeSources, NodeFileSystem.layer)
      )
      expect(yield* Stream.runHead(changes)).toMatchObject({ _tag: "Some" })
    }))
})
