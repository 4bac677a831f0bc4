/** Installed programs that some tests need. */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** Returns the path of a program, or undefined if it is not installed. */
export const find = (name: string): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"].map((folder) => join(folder, name)).find(
    (file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    }
  )

export const promtool = find("promtool")

/** The suffix of the title of a skipped test. */
export const promtoolSkippedSuffix = promtool === undefined ? " (skipped: promtool is not installed)" : ""

/** The exit code, and the combined output. */
export const run = (program: string | undefined, args: ReadonlyArray<string>, cwd: string) => {
  const { status, stderr, stdout } = spawnSync(program ?? "", args, { cwd, encoding: "utf8" })
  return { status, output: `${stdout}${stderr}` }
}
