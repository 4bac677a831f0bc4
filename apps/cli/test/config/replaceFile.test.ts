/** Replacing a file, also while other processes do. What files may contain is in the golden records. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { replaceFile } from "../../src/config/ReplaceFile.ts"
import { temporaryFolder } from "../support/exports.ts"
import { withRunningClock } from "../support/quarry.ts"

it.effect("is not written while another process holds the lock, which the error names", () =>
  Effect.gen(function*() {
    const file = join(temporaryFolder(), "file")
    fs.writeFileSync(`${file}.lock`, "")
    const writing = Effect.flip(replaceFile(file, null, () => Effect.succeed("new")))
    expect((yield* withRunningClock(writing, "100 millis")).hint).toContain(`remove ${file}.lock`)
    expect(fs.existsSync(file)).toBe(false)
  }))
