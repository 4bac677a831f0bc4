// test.mjs [ARGUMENT…]: runs all tests, those of each package unless nothing changed since they passed. With arguments for Vitest:
// these tests in any case.
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { turbo } from "./turbo.mjs"

const args = process.argv.slice(2)

/** Tests wait for processes, sockets and timers, so more tasks than a small machine has cores keep it busy. */
const all = () =>
  turbo(
    ["run", "test", "test:tools", "--output-logs=new-only", "--concurrency=4", "--continue=always"],
    "inherit"
  )

const chosen = () => {
  const bundled = turbo(["run", "bundle", "--output-logs=errors-only"], "inherit")
  if (bundled.status !== 0) return bundled
  const vitest = createRequire(import.meta.url).resolve("vitest/vitest.mjs")
  return spawnSync(process.execPath, [vitest, "run", ...args], { stdio: "inherit" })
}

process.exitCode = (args.length === 0 ? all() : chosen()).status ?? 1
