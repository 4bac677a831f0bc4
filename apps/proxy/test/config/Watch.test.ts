/** Reasons to reload the configuration. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as NodeFs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../src/config/Files.ts"
import * as Watch from "../../src/config/Watch.ts"
import { fakeFileSystem } from "./support.ts"

/** Watches files in memory. */
const watching = (read: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const contents: Record<string, string> = { ...read }
    const files = fakeFileSystem(contents)
    const digests = new Map<string, string>()
    for (const file of Object.keys(read)) {
      digests.set(file, (yield* Effect.provide(Files.readFile(file), files)).digest)
    }
    const seen = { changes: 0 }
    yield* Effect.forkScoped(
      Stream.runForEach(Watch.fileChanges(digests), () => Effect.sync(() => seen.changes += 1)).pipe(
        Effect.provide(files)
      )
    )
    return {
      seen,
      write: (file: string, content: string | null) =>
        Effect.sync(() => {
          if (content === null) delete contents[file]
          else contents[file] = content
        })
    }
  })

describe("a changed file", () => {
  it.scoped("causes no reload if the contents are the same, or the same again", () =>
    Effect.gen(function*() {
      const { seen, write } = yield* watching({ a: "1" })
      yield* TestClock.adjust("500 millis")
      yield* write("a", "2")
      yield* TestClock.adjust("100 millis")
      yield* write("a", "1")
      yield* TestClock.adjust("10 seconds")
      expect(seen.changes).toBe(0)
    }))
})

describe("files on disk", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => NodeFs.mkdtempSync(join(tmpdir(), "quarry-proxy-"))),
    (path) => Effect.sync(() => NodeFs.rmSync(path, { recursive: true }))
  )

  /** A version of a directory, to which Kubernetes swaps a link. */
  const version = (path: string, name: string) => {
    NodeFs.mkdirSync(join(path, name))
    NodeFs.writeFileSync(join(path, name, "file"), name)
    NodeFs.symlinkSync(name, join(path, "..data_tmp"))
    NodeFs.renameSync(join(path, "..data_tmp"), join(path, "..data"))
  }

  it.scopedLive("are watched behind links that Kubernetes swaps", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "file")
      version(path, "..1")
      NodeFs.symlinkSync(join("..data", "file"), file)
      const read = new Map([[file, (yield* Files.readFile(file)).digest]])
      const fiber = yield* Effect.fork(Stream.runHead(Watch.fileChanges(read)))
      yield* Effect.sync(() => version(path, "..2"))
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "Some" })
    }).pipe(Effect.provide(NodeFileSystem.layer)))
})
