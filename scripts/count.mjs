// count.mjs REPORT: one line from Vitest's JSON report. A file that could not be loaded counts as a failure.
import { readFileSync } from "node:fs"

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error("usage: count.mjs REPORT")
const report = JSON.parse(readFileSync(file, "utf8"))

const passed = report.numPassedTests
const broken = report.testResults.filter(
  (/** @type {{ status: string, assertionResults: ReadonlyArray<{ status: string }> }} */ suite) =>
    suite.status === "failed" && !suite.assertionResults.some(({ status }) => status === "failed")
)
const failed = report.numFailedTests + broken.length
const skipped = report.numPendingTests + report.numTodoTests

console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
