// Builds the library in the working directory from scratch, so that output of removed sources is removed too.
import { rmSync } from "node:fs"

rmSync("dist", { recursive: true, force: true })
process.argv = [...process.argv.slice(0, 2), "-b", "tsconfig.json"]
await import("./tsc.mjs")
