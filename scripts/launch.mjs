// Bundles an app when its sources changed, then becomes it: same process, so that signals, exit codes and
// standard streams are the program's own, and nothing else is written to stdout.
import { fileURLToPath, pathToFileURL } from "node:url"
import { turbo } from "./turbo.mjs"

const apps = { cli: "apps/cli/dist/quarry.js", proxy: "apps/proxy/dist/quarry-proxy.js" }

const [, , app, ...args] = process.argv
if (app !== "cli" && app !== "proxy") throw new Error("usage: launch.mjs cli|proxy [argument …]")

const root = new URL("../", import.meta.url)
const built = turbo(
  [
    "run",
    "bundle",
    `--cwd=${fileURLToPath(root)}`,
    `--filter=@blockquarry/${app}`,
    "--output-logs=errors-only"
  ],
  ["ignore", "pipe", "pipe"]
)
if (built.status === 0) {
  const program = fileURLToPath(new URL(apps[app], root))
  process.argv = [process.execPath, program, ...args]
  await import(pathToFileURL(program).href)
} else {
  process.stderr.write(`${built.stdout ?? ""}${built.stderr ?? ""}`)
  process.exitCode = built.status ?? 130
}
