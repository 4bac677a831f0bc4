/** Programs of this machine that some tests need. */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** Where a program is; undefined where it is not installed. */
export const find = (name: string): string | undefined =>
  (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

export const promtool = find("promtool")

/** What the name of a test says where it is skipped. */
export const promtoolSkippedSuffix = promtool === undefined ? " (skipped: there is no promtool)" : ""

/** How it ended; everything that it said is in one text. */
export const run = (program: string | undefined, args: ReadonlyArray<string>, cwd: string) => {
  const { status, stderr, stdout } = spawnSync(program ?? "", args, { cwd, encoding: "utf8" })
  return { status, said: `${stdout}${stderr}` }
}
