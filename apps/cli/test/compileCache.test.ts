/** Compiled code between runs of the bundled program. Node.js before 22.8 keeps none. */
import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import * as NodeModule from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { exampleValues } from "../src/help/Help.ts"
import { temporaryFolder } from "./support/exports.ts"

const program = fileURLToPath(new URL("../dist/quarry.js", import.meta.url))

const run = (env: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, [program, "token", "price", exampleValues.token, "--sandbox", "-o", "json"], {
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8",
    timeout: 60_000
  })

const filesIn = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) ? readdirSync(directory, { recursive: true }).map(String).sort() : []

it("keeps compiled code in the user's directory for caches, and uses it again", () => {
  const caches = temporaryFolder()
  const home = temporaryFolder()
  const first = run({ XDG_CACHE_HOME: caches, HOME: home })
  expect(first).toMatchObject({ status: 0 })
  const files = filesIn(join(caches, "quarry"))
  expect(files.length > 0).toBe("enableCompileCache" in NodeModule)
  expect(filesIn(home)).toEqual([])
  expect(run({ XDG_CACHE_HOME: caches })).toMatchObject({ status: 0, stdout: first.stdout })
  expect(filesIn(join(caches, "quarry"))).toEqual(files)
})

it("runs where no cache can be created", () => {
  // Directories in /proc cannot be created, also by root
  expect(run({ HOME: "/proc" })).toMatchObject({ status: 0, stdout: expect.stringContaining("usdPrice") })
  expect(run({ HOME: "relative" })).toMatchObject({ status: 0 })
})
