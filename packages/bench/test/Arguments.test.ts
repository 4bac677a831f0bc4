import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { parseArguments } from "../src/Arguments.ts"
import { misbehaviors } from "../src/isolation/Misbehavior.ts"

const all = ["call", "pagination"].map((name) => ({ name, comparisons: Effect.succeed([]) }))

const defaults = { command: "compare", json: false, runs: 15, benchmarks: all }

it.each([
  [[], defaults],
  [["pagination", "--runs", "3"], { ...defaults, runs: 3, benchmarks: [all[1]] }],
  [
    ["--json", "call", "--previous", "old/bench.js"],
    { ...defaults, json: true, previous: "old/bench.js", benchmarks: [all[0]] }
  ],
  [["worker", "call"], { command: "worker", benchmark: all[0] }],
  [["profile"], { command: "profile" }],
  [["soak"], { command: "soak", requests: 1_000_000, connections: 64, faults: 0.05 }],
  [
    ["soak", "--requests", "20000", "--connections", "8", "--faults", "0"],
    { command: "soak", requests: 20_000, connections: 8, faults: 0 }
  ],
  [["isolation"], { command: "isolation", requests: 2000, selected: misbehaviors }],
  [["isolation", "random", "404", "--requests", "50"], {
    command: "isolation",
    requests: 50,
    selected: misbehaviors.filter(({ name }) => ["flood of 404", "random queries"].includes(name))
  }],
  [["noise", "flood of 404", "80"], {
    command: "noise",
    misbehavior: misbehaviors.find(({ name }) => name === "flood of 404"),
    port: 80
  }],
  [["soak", "--help"], { command: "help" }]
])("parses %j", (args, command) => {
  expect(parseArguments(args, all)).toEqual(command)
})

it.each([
  ["run"],
  ["worker", "unknown"],
  ["profile", "call"],
  ["isolation", "--requests", "0"],
  ["pagination", "soak"],
  ["--runs", "few"],
  ["--what"],
  ["pagination", "--requests", "5"],
  ["soak", "--connections", "-1"],
  ["soak", "--faults", "5"],
  ["soak", "pagination"]
])("rejects invalid arguments (%s %s %s)", (...args) => {
  expect(() => parseArguments(args, all)).toThrow()
})
