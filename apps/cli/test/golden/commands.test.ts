/** Runs the command lines of the golden records, and compares their output and exit code. */
import { expect, it } from "vitest"
import { readCases, readSessions, recordNames, recordPath } from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { record } from "./records.ts"

/** Records of lines that share a home directory. */
const sessions = ["config", "config-files", "config-use", "alias", "auth", "doctor"]

it.each(recordNames().filter((name) => !sessions.includes(name) && !name.startsWith("process-")))(
  "prints the recorded output for %s",
  async (name) => {
    const results = await Promise.all(
      readCases(name).map(async (input) => [input, await InProcess.run(input)] as const)
    )
    await expect(record(results)).toMatchFileSnapshot(recordPath(name))
  }
)

it.each(sessions)("prints the recorded output for the session %s", async (name) => {
  const results = await Promise.all(readSessions(name).map(InProcess.runSession))
  await expect(record(results.flat())).toMatchFileSnapshot(recordPath(name))
})
