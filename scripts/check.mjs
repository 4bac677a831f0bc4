// check.mjs: checks types, lint, regular expressions, format and packaging. Prints the output of each step when it ends, with its time.
import { spawn } from "node:child_process"

/**
 * Runs a script of package.json, and returns whether it passes.
 *
 * @param {string} script
 * @returns {Promise<boolean>}
 */
const passes = (script) =>
  new Promise((resolve) => {
    const start = performance.now()
    const child = spawn(`pnpm run ${script}`, { shell: true, stdio: ["ignore", "pipe", "pipe"] })
    /** @type {Array<Buffer>} */
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(data))
    child.on("close", (code) => {
      const result = code === 0 ? "passed" : "FAILED"
      console.log(`${script}: ${result} in ${Math.round((performance.now() - start) / 1000)} s`)
      process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })

/**
 * Runs scripts one after another.
 *
 * @param {ReadonlyArray<string>} scripts
 */
const allPass = async (scripts) => {
  let passed = true
  for (const script of scripts) passed = await passes(script) && passed
  return passed
}

const passed = await passes("build") && (await Promise.all([
  // Waits for installations most of the time
  passes("packaging"),
  allPass(["generate --check", "types", "lint", "regexps", "format:check", "unused"])
])).every(Boolean)
process.exitCode = passed ? 0 : 1
