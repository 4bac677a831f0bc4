/** Reasons to reload the configuration. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
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
    const signals = yield* Queue.unbounded<void>()
    const events = yield* Queue.unbounded<void>()
    const triggers: Array<Watch.ReloadTrigger> = []
    const reasons = Watch.reloadTriggers(new Map(Object.entries(read)), {
      signals: Stream.fromQueue(signals),
      events: () => Stream.fromQueue(events),
      digestOf: (file) => Effect.sync(() => contents.get(file) ?? "gone")
    })
    yield* Effect.forkScoped(
      Stream.runForEach(reasons, (reason) => Effect.sync(() => void triggers.push(reason)))
    )
    const write = (file: string, content: string | null) =>
      Effect.zipRight(
        Effect.sync(() => content === null ? contents.delete(file) : contents.set(file, content)),
        Queue.offer(events, undefined)
      )
    return {
      triggers,
      write,
      signal: Queue.offer(signals, undefined),
      touch: Queue.offer(events, undefined)
    }
  })

const changed = (...files: ReadonlyArray<string>): Watch.ReloadTrigger => ({ _tag: "Changed", files })

describe("a changed file", () => {
  it.scoped("causes a reload once changes stop", () =>
    Effect.gen(function*() {
      const { triggers, write } = yield* watching({ a: "1", b: "1" })
      yield* write("a", "2")
      yield* TestClock.adjust("150 millis")
      expect(triggers).toEqual([])
      yield* write("a", "3")
      yield* TestClock.adjust("150 millis")
      expect(triggers).toEqual([])
      yield* TestClock.adjust("200 millis")
      expect(triggers).toEqual([changed("a")])
      yield* write("b", null)
      yield* TestClock.adjust("1 second")
      expect(triggers).toEqual([changed("a"), changed("b")])
    }))

  it.scoped("causes one reload for changes of several files", () =>
    Effect.gen(function*() {
      const { triggers, write } = yield* watching({ a: "1", b: "1", c: "1" })
      yield* write("a", "2")
      yield* write("c", "2")
      yield* TestClock.adjust("1 second")
      expect(triggers).toEqual([changed("a", "c")])
    }))

  it.scoped("causes no reload if the contents are the same, or the same again", () =>
    Effect.gen(function*() {
      const { triggers, touch, write } = yield* watching({ a: "1" })
      yield* touch
      yield* TestClock.adjust("1 second")
      yield* write("a", "2")
      yield* TestClock.adjust("100 millis")
      yield* write("a", "1")
      yield* TestClock.adjust("1 second")
      expect(triggers).toEqual([])
    }))

  it.scoped("causes a reload despite changes of other files in the directory", () =>
    Effect.gen(function*() {
      const { triggers, touch, write } = yield* watching({ a: "1" })
      yield* write("a", "2")
      for (let n = 0; n < 20; n++) yield* Effect.zipRight(touch, TestClock.adjust("30 millis"))
      expect(triggers).toEqual([changed("a")])
    }))
})

describe("a signal", () => {
  it.scoped("causes a reload at once, without any file", () =>
    Effect.gen(function*() {
      const { triggers, signal } = yield* watching({})
      yield* signal
      yield* TestClock.adjust(0)
      expect(triggers).toEqual([{ _tag: "Signal" }])
    }))

  it.scopedLive("is SIGHUP, only while the stream is consumed", () =>
    Effect.gen(function*() {
      const before = process.listenerCount("SIGHUP")
      const { signals } = yield* Watch.nodeSources
      const fiber = yield* Effect.fork(Stream.runHead(signals))
      yield* Effect.repeat(Effect.yieldNow(), { until: () => process.listenerCount("SIGHUP") > before })
      process.emit("SIGHUP")
      expect((yield* Fiber.join(fiber))._tag).toBe("Some")
      expect(process.listenerCount("SIGHUP")).toBe(before)
    }).pipe(Effect.provide(NodeFileSystem.layer)))
})

describe("files on disk", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => NodeFs.mkdtempSync(join(tmpdir(), "quarry-proxy-"))),
    (path) => Effect.sync(() => NodeFs.rmSync(path, { recursive: true }))
  )

  /** Returns the first reason after a change. */
  const after = (file: string, change: () => void) =>
    Effect.gen(function*() {
      const read = new Map([[file, yield* Files.digestOf(file)]])
      const system = yield* Watch.nodeSources
      const fiber = yield* Effect.fork(Stream.runCollect(Stream.take(Watch.reloadTriggers(read, system), 1)))
      yield* Effect.sync(change)
      return Chunk.toReadonlyArray(yield* Fiber.join(fiber))
    }).pipe(Effect.provide(NodeFileSystem.layer))

  it.scopedLive("are watched when they are written, replaced, removed and created", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "quarry-proxy.yaml")
      NodeFs.writeFileSync(file, "a")
      expect(yield* after(file, () => NodeFs.writeFileSync(file, "b"))).toEqual([changed(file)])
      const replace = () => {
        NodeFs.writeFileSync(join(path, "new"), "c")
        NodeFs.renameSync(join(path, "new"), file)
      }
      expect(yield* after(file, replace)).toEqual([changed(file)])
      expect(yield* after(file, () => NodeFs.rmSync(file))).toEqual([changed(file)])
      expect(yield* after(file, () => NodeFs.writeFileSync(file, "d"))).toEqual([changed(file)])
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
      expect(yield* after(file, () => version("..2", "b"))).toEqual([changed(file)])
      const swap = () => {
        version("..3", "c")
        NodeFs.rmSync(join(path, "..2"), { recursive: true })
      }
      expect(yield* after(file, swap)).toEqual([changed(file)])
    }))

  it.scopedLive("are watched behind a link to another directory", () =>
    Effect.gen(function*() {
      const [path, other] = [yield* folder, yield* folder]
      NodeFs.writeFileSync(join(other, "real"), "a")
      NodeFs.symlinkSync(join(other, "real"), join(path, "link"))
      const file = join(path, "link")
      expect(yield* after(file, () => NodeFs.writeFileSync(join(other, "real"), "b"))).toEqual([
        changed(file)
      ])
    }))

  it.scopedLive("are compared once if their directory cannot be watched", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "gone", "file")
      const system = yield* Effect.provide(Watch.nodeSources, NodeFileSystem.layer)
      const reasons = yield* Stream.runCollect(
        Stream.take(Watch.reloadTriggers(new Map([[file, "before"]]), system), 1)
      )
      expect(Chunk.toReadonlyArray(reasons)).toEqual([changed(file)])
    }))
})
