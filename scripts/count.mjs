// count.mjs REPORT…: prints one line that adds up the tests of Vitest's JSON reports. A file that could not be loaded
// and a report that is missing each count as a failure.
import { existsSync, readFileSync } from "node:fs"

const files = process.argv.slice(2)
if (files.length === 0) throw new Error("usage: count.mjs REPORT…")

const total = { passed: 0, failed: 0, skipped: 0 }
let isEmpty = false
for (const file of files) {
  if (!existsSync(file)) {
    total.failed += 1
    continue
  }
  const report = JSON.parse(readFileSync(file, "utf8"))
  const notLoaded = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: ReadonlyArray<{ status: string }> }} */ suite) =>
      suite.status === "failed" && !suite.assertionResults.some(({ status }) => status === "failed")
  )
  total.passed += report.numPassedTests
  total.failed += report.numFailedTests + notLoaded.length
  total.skipped += report.numPendingTests + report.numTodoTests
  isEmpty ||= report.numPassedTests === 0
}

console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 || isEmpty ? 1 : 0
