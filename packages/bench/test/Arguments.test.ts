import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { parseArguments } from "../src/Arguments.ts"
import { misbehaviors } from "../src/isolation/Misbehavior.ts"

const all = ["call", "pagination"].map((name) => ({ name, comparisons: Effect.succeed([]) }))

it("selects benchmarks by name, all by default", () => {
  const options = { command: "compare", json: false, previous: undefined }
  expect(parseArguments([], all)).toEqual({ ...options, runs: 15, benchmarks: all })
  expect(parseArguments(["pagination", "--runs", "3"], all)).toEqual({
    ...options,
    runs: 3,
    benchmarks: [all[1]]
  })
})

it("parses the output format and the path of a previous version", () => {
  expect(parseArguments(["--json", "call", "--previous", "old/bench.js"], all)).toEqual({
    command: "compare",
    runs: 15,
    benchmarks: [all[0]],
    json: true,
    previous: "old/bench.js"
  })
})

it("a worker serves one benchmark", () => {
  expect(parseArguments(["worker", "call"], all)).toEqual({ command: "worker", benchmark: all[0] })
  expect(parseArguments(["worker", "unknown"], all)).toBeUndefined()
})

it("parses the options of soak", () => {
  expect(parseArguments(["soak"], all)).toEqual({
    command: "soak",
    requests: 1_000_000,
    connections: 64,
    faults: 0.05
  })
  expect(parseArguments(["soak", "--requests", "20_000", "--connections", "8", "--faults", "0"], all))
    .toEqual({
      command: "soak",
      requests: 20_000,
      connections: 8,
      faults: 0
    })
})

it("profile has no options", () => {
  expect(parseArguments(["profile"], all)).toEqual({ command: "profile" })
  expect(parseArguments(["profile", "call"], all)).toBeUndefined()
})

it("parses the options of isolation", () => {
  expect(parseArguments(["isolation"], all)).toEqual({
    command: "isolation",
    requests: 2000,
    selected: misbehaviors
  })
  expect(parseArguments(["isolation", "random", "404", "--requests", "50"], all)).toEqual({
    command: "isolation",
    requests: 50,
    selected: misbehaviors.filter(({ name }) => ["flood of 404", "random queries"].includes(name))
  })
})

it.each([
  ["run"],
  ["isolation", "--requests", "0"],
  ["pagination", "soak"],
  ["--runs", "0"],
  ["--runs", "few"],
  ["pagination", "--requests", "5"],
  ["soak", "--requests", "1e6"],
  ["soak", "--connections", "-1"],
  ["soak", "--faults", "5"],
  ["soak", "pagination"]
])("rejects invalid arguments (%s %s %s)", (...args) => {
  expect(parseArguments(args, all)).toBeUndefined()
})

it("--help takes precedence over other arguments", () => {
  expect(parseArguments(["soak", "--help", "--what"], all)).toEqual({ command: "help" })
})
