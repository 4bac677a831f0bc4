/** The command line of the bundled benchmarks. */
import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import { allBenchmarks } from "../src/benchmarks/Benchmarks.ts"
import { benchPath } from "../src/Processes.ts"

const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [benchPath, ...args], { encoding: "utf8" })

it("the help names all benchmarks, commands and options", () => {
  const { status, stdout } = run("--help")
  const names = [
    ...allBenchmarks.map(({ name }) => name),
    "soak",
    "--runs",
    "--json",
    "--previous"
  ]
  expect([status, names.filter((name) => !stdout.includes(name))]).toEqual([0, []])
})

it("rejects invalid arguments, and runs nothing", () => {
  const { status, stderr, stdout } = run("soak", "--faults", "5")
  expect([status, stdout]).toEqual([2, ""])
  expect(stderr).toContain("between 0 and 1, actual 5")
})
