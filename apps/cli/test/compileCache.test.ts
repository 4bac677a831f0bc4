/** Compiled code between runs of the bundled program. Node.js before 22.8 keeps none. */
import { expect, it } from "@effect/vitest"
import { existsSync, readdirSync } from "node:fs"
import * as NodeModule from "node:module"
import { join } from "node:path"
import { exampleValues } from "../src/help/Help.ts"
import { temporaryFolder } from "./support/exports.ts"
import { runProcess, type Variables } from "./support/process.ts"

const run = (env: Variables) =>
  runProcess(["token", "price", exampleValues.token, "--sandbox", "-o", "json"], env)

const filesIn = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) ? readdirSync(directory, { recursive: true }).map(String).sort() : []

it("keeps compiled code in the user's directory for caches, and uses it again", async () => {
  const caches = temporaryFolder()
  const home = temporaryFolder()
  const first = await run({ XDG_CACHE_HOME: caches, HOME: home })
  expect(first).toMatchObject({ code: 0 })
  const files = filesIn(join(caches, "quarry"))
  expect(files.length > 0).toBe("enableCompileCache" in NodeModule)
  expect(filesIn(home)).toEqual([])
  expect(await run({ XDG_CACHE_HOME: caches })).toMatchObject({ code: 0, out: first.out })
  expect(filesIn(join(caches, "quarry"))).toEqual(files)
})

it("runs where no cache can be created", async () => {
  // Directories in /proc cannot be created, also by root
  expect(await run({ HOME: "/proc" })).toMatchObject({ code: 0, out: expect.stringContaining("usdPrice") })
  expect(await run({ HOME: "relative" })).toMatchObject({ code: 0 })
})
