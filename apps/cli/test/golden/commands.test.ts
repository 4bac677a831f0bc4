/** What every command line prints today, and its exit code. */
import { expect, it } from "vitest"
import { cases, shown } from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { names as processes } from "./processes.ts"
import { record, recordNames, recordPath, shortened } from "./records.ts"

it.each(Object.entries(cases))("prints for %s what the record says", async (name, group) => {
  const ended = await Promise.all(group.map(async (each) => [each, await InProcess.run(each)] as const))
  await expect(name === "help" ? shortened(ended) : record(ended)).toMatchFileSnapshot(recordPath(name))
}, 60_000)

it("no case comes twice", () => {
  for (const group of Object.values(cases)) {
    const all = group.map(({ line, ...around }) => `${shown(line)} ${JSON.stringify(around)}`)
    expect(new Set(all).size).toBe(all.length)
  }
})

it("every record has its cases", () => {
  const expected = new Set([...Object.keys(cases), ...processes])
  expect(recordNames().filter((name) => !expected.has(name))).toEqual([])
})
