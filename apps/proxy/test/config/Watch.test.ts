/** Reasons to reload the configuration. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as NodeFs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../src/config/Files.ts"
import * as Watch from "../../src/config/Watch.ts"

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
