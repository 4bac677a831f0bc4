// TypeScript with Effect's diagnostics built in; where that has no binary, plain TypeScript.
// `getExePath` of @effect/tsgo 0.45.0 rejects its own manifest, so the binary is found by its place.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)

const withEffect = () => {
  try {
    const tsgo = createRequire(require.resolve("@effect/tsgo/package.json"))
    const platform = dirname(tsgo.resolve(`@effect/tsgo-${process.platform}-${process.arch}/package.json`))
    const { version } = require("typescript/package.json")
    const tsc = join(
      platform,
      "artifacts",
      "typescript",
      version,
      process.platform === "win32" ? "tsc.exe" : "tsc"
    )
    return existsSync(tsc) ? tsc : undefined
  } catch {
    return undefined
  }
}

const tsc = withEffect()
if (tsc === undefined) {
  console.error("No @effect/tsgo for this platform or TypeScript: Effect diagnostics are skipped.")
}

const plain = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc")
const args = process.argv.slice(2)
const child = tsc === undefined
  ? spawn(process.execPath, [plain, ...args], { stdio: "inherit" })
  : spawn(tsc, args, { stdio: "inherit" })
child.on("exit", (code) => {
  process.exitCode = code ?? 1
})
