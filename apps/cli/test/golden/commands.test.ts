/** Compares the output and exit code of command lines with the golden records. */
import { expect, it } from "vitest"
import { cases, shown } from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { names as processes } from "./processes.ts"
import { record, recordNames, recordPath } from "./records.ts"
import { sessions } from "./sessions.ts"

it.each(Object.entries(cases))("prints the recorded output for %s", async (name, group) => {
  const results = await Promise.all(group.map(async (input) => [input, await InProcess.run(input)] as const))
  await expect(record(results)).toMatchFileSnapshot(recordPath(name))
})

it.each(Object.entries(sessions))("prints the recorded output for the session %s", async (name, group) => {
  const results = await Promise.all(group.map(InProcess.runSession))
  await expect(record(results.flat())).toMatchFileSnapshot(recordPath(name))
})

it("has no duplicate cases", () => {
  for (const group of Object.values(cases)) {
    const all = group.map(({ line, ...options }) => `${shown(line)} ${JSON.stringify(options)}`)
    expect(new Set(all).size).toBe(all.length)
  }
})

it("has cases for every record", () => {
  const expected = new Set([...Object.keys(cases), ...Object.keys(sessions), ...processes])
  expect(recordNames().filter((name) => !expected.has(name))).toEqual([])
})
