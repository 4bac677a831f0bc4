#!/usr/bin/env node
/** The entry point of `quarry-proxy`: prints help and version at once, and loads the program for everything else. */
import { readFileSync } from "node:fs"
import * as CommandLine from "./cli/CommandLine.ts"

/** `package.json` is in the parent folder of both `src` and `dist`. */
const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const version = typeof manifest === "object" && manifest !== null && "version" in manifest
  ? String(manifest.version)
  : ""

const line = CommandLine.read(process.argv.slice(2), version)
if (line._tag === "Information") {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A closed pipe is no failure
    if (error.code === "EPIPE") return
    process.stderr.write(`quarry-proxy: cannot write output: ${error.message}\n`)
    process.exitCode = 1
  })
  process.stdout.write(`${line.text}\n`)
} else {
  void import("./Program.ts").then(({ run }) => run(line, version))
}
