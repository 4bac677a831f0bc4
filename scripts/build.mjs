// Builds the library in the working directory from nothing, so that no output outlives its source.
import { rmSync } from "node:fs"

rmSync("dist", { recursive: true, force: true })
process.argv = [...process.argv.slice(0, 2), "-b", "tsconfig.json"]
await import("./tsc.mjs")
