// Runs Turbo without telemetry and without update checks.
import { spawnSync } from "node:child_process"
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
  process.exitCode = turbo(process.argv.slice(2), "inherit").status ?? 1
}
