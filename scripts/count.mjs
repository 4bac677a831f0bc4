// count.mjs REPORT…: lists the failed tests of Vitest's JSON reports, then adds up all tests in one line. A file that could
// not be loaded and a report that is missing each count as a failure.
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"

/** @typedef {{ status: string, fullName: string, failureMessages?: ReadonlyArray<string> }} Test */
/** @typedef {{ name: string, status: string, message: string, assertionResults: ReadonlyArray<Test> }} Suite */

const files = process.argv.slice(2)
if (files.length === 0) throw new Error("usage: count.mjs REPORT…")

const total = { passed: 0, failed: 0, skipped: 0 }
let isEmpty = false
for (const file of files) {
  if (!existsSync(file)) {
    printFailure("tests", `no report: ${file}`)
    continue
  }
  const report = JSON.parse(readFileSync(file, "utf8"))
  for (const suite of report.testResults) printFailures(suite)
  total.passed += report.numPassedTests
  total.skipped += report.numPendingTests + report.numTodoTests
  isEmpty ||= report.numPassedTests === 0
}

console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 || isEmpty ? 1 : 0

/** @param {Suite} suite */
function printFailures(suite) {
  const path = relative(process.cwd(), suite.name)
  const failed = suite.assertionResults.filter(({ status }) => status === "failed")
  if (suite.status === "failed" && failed.length === 0) printFailure(path, suite.message)
  for (const test of failed) {
    printFailure(`${path} > ${test.fullName}`, (test.failureMessages ?? []).join("\n"))
  }
}

/**
 * The first lines of a message say what failed; the rest is a trace.
 *
 * @param {string} name
 * @param {string} message
 */
function printFailure(name, message) {
  total.failed += 1
  console.log(`failed  ${name}\n  ${message.trim().split("\n").slice(0, 12).join("\n  ")}`)
}
