#!/usr/bin/env node
/**
 * Entry point. Everything else is loaded after the check of the Node.js version, because older versions cannot parse it.
 */
import { enableCompileCache } from "./CompileCache.ts"

const requiredMajor = 20

if (Number(process.versions.node.split(".")[0]) < requiredMajor) {
  process.stderr.write(
    `error: quarry requires Node.js ${requiredMajor} or later; this is Node.js ${process.versions.node}\n` +
      "hint: install a current version from https://nodejs.org, or select it with your version manager\n"
  )
  process.exitCode = 1
} else {
  enableCompileCache()
  // One folder above `src` and `dist`
  void import("./Start.ts").then(({ start }) => start(new URL("../package.json", import.meta.url)))
}
