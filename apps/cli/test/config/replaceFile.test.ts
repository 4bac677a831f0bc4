/** Replacing a file, also while other processes do. What files may contain is in the golden records. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as fs from "node:fs"
import { join } from "node:path"
import { replaceFile } from "../../src/config/ReplaceFile.ts"
import { directories } from "../support/directories.ts"

/** Lets the time of a fiber pass, which also waits for files. */
const untilEnded = (fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
  TestClock.adjust("100 millis").pipe(
    Effect.zipRight(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
    Effect.zipRight(Fiber.poll(fiber)),
    Effect.repeat({ until: Option.isSome })
  )

it.effect("is not written while another process holds the lock, which the error names", () =>
  Effect.gen(function*() {
    const { home } = yield* directories
    const file = join(home, "file")
    fs.writeFileSync(`${file}.lock`, "")
    const writing = yield* Effect.fork(Effect.flip(replaceFile(file, null, () => Effect.succeed("new"))))
    yield* untilEnded(writing)
    expect((yield* Fiber.join(writing)).hint).toContain(`remove ${file}.lock`)
    expect(fs.existsSync(file)).toBe(false)
  }))
