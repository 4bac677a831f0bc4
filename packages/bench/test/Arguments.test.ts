/** The command line. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { read } from "../src/Arguments.ts"

const all = ["call", "walk"].map((name) => ({ name, races: Effect.succeed([]) }))

it("names choose benchmarks; none means all", () => {
  expect(read([], all)).toEqual({ command: "race", runs: 15, chosen: all })
  expect(read(["walk", "--runs", "3"], all)).toEqual({ command: "race", runs: 3, chosen: [all[1]] })
})

it("a soak has its own options", () => {
  expect(read(["soak"], all)).toEqual({
    command: "soak",
    requests: 1_000_000,
    connections: 64,
    faults: 0.05
  })
  expect(read(["soak", "--requests", "20_000", "--connections", "8", "--faults", "0"], all)).toEqual({
    command: "soak",
    requests: 20_000,
    connections: 8,
    faults: 0
  })
})

it.each([
  ["run"],
  ["walk", "soak"],
  ["--runs", "0"],
  ["--runs", "few"],
  ["walk", "--requests", "5"],
  ["soak", "--requests", "1e6"],
  ["soak", "--connections", "-1"],
  ["soak", "--faults", "5"],
  ["soak", "walk"]
])("what makes no sense is refused (%s %s %s)", (...args) => {
  expect(read(args, all)).toBeUndefined()
})

it("help goes before everything", () => {
  expect(read(["soak", "--help", "--what"], all)).toEqual({ command: "help" })
})
