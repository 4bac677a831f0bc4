// turbo.mjs ARGUMENT…: runs Turbo without telemetry and without update checks. A folder selects its package.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const bin = createRequire(import.meta.url).resolve("turbo/bin/turbo")

/**
 * @param {ReadonlyArray<string>} args
 * @param {import("node:child_process").StdioOptions} stdio
 */
export const turbo = (args, stdio) =>
  spawnSync(process.execPath, [bin, ...args], {
    stdio,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" }
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const args = process.argv.slice(2).map((arg) =>
    existsSync(`${arg}/package.json`) ? `--filter=./${arg.replace(/\/$/, "")}` : arg
  )
  process.exitCode = turbo(args, "inherit").status ?? 1
}
