/** Parses the command line. */
import { parseArgs } from "node:util"
import type { Benchmark } from "./Benchmark.ts"
import { type Misbehavior, misbehaviors } from "./isolation/Misbehavior.ts"

export type BenchCommand =
  | { readonly command: "help" }
  | {
    readonly command: "compare"
    readonly runs: number
    readonly benchmarks: ReadonlyArray<Benchmark>
    readonly json: boolean
    /** The path of the bench of another version, which is measured too. */
    readonly previous: string | undefined
  }
  | { readonly command: "worker"; readonly benchmark: Benchmark }
  | { readonly command: "profile" }
  | {
    readonly command: "isolation"
    readonly requests: number
    readonly selected: ReadonlyArray<Misbehavior>
  }
  | { readonly command: "noise"; readonly misbehavior: Misbehavior; readonly port: number }
  | {
    readonly command: "soak"
    readonly requests: number
    readonly connections: number
    readonly faults: number
  }

/** Returns the command, or undefined if the arguments are invalid. */
export const parseArguments = (
  args: ReadonlyArray<string>,
  all: ReadonlyArray<Benchmark>
): BenchCommand | undefined => {
  try {
    return args.includes("--help")
      ? { command: "help" }
      : args[0] === "profile"
      ? parseProfile(args)
      : args[0] === "soak"
      ? parseSoak(args)
      : args[0] === "isolation"
      ? parseIsolation(args)
      : args[0] === "noise"
      ? parseNoise(args)
      : args[0] === "worker"
      ? parseWorker(args, all)
      : parseCompare(args, all)
  } catch {
    return undefined
  }
}

const parseCompare = (
  args: ReadonlyArray<string>,
  all: ReadonlyArray<Benchmark>
): BenchCommand | undefined => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      runs: { type: "string", default: "15" },
      json: { type: "boolean", default: false },
      previous: { type: "string" }
    }
  })
  const runs = parsePositiveInteger(values.runs)
  const areKnown = positionals.every((name) => all.some((benchmark) => benchmark.name === name))
  const benchmarks = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const { json, previous } = values
  return areKnown && runs !== undefined ? { command: "compare", runs, benchmarks, json, previous } : undefined
}

const parseProfile = ([, ...args]: ReadonlyArray<string>): BenchCommand => {
  parseArgs({ args, options: {} })
  return { command: "profile" }
}

const parseWorker = (
  [, name]: ReadonlyArray<string>,
  all: ReadonlyArray<Benchmark>
): BenchCommand | undefined => {
  const benchmark = all.find((benchmark) => benchmark.name === name)
  return benchmark === undefined ? undefined : { command: "worker", benchmark }
}

const parseIsolation = ([, ...args]: ReadonlyArray<string>): BenchCommand | undefined => {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { requests: { type: "string", default: "2000" } }
  })
  const requests = parsePositiveInteger(values.requests)
  const selected = misbehaviors.filter(({ name }) =>
    positionals.length === 0 || positionals.some((part) => name.includes(part))
  )
  return requests === undefined ? undefined : { command: "isolation", requests, selected }
}

const parseNoise = ([, name, port]: ReadonlyArray<string>): BenchCommand | undefined => {
  const misbehavior = misbehaviors.find((misbehavior) => misbehavior.name === name)
  return misbehavior === undefined ? undefined : { command: "noise", misbehavior, port: Number(port) }
}

const parseSoak = ([, ...args]: ReadonlyArray<string>): BenchCommand | undefined => {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "1000000" },
      connections: { type: "string", default: "64" },
      faults: { type: "string", default: "0.05" }
    }
  })
  const [requests, connections] = [
    parsePositiveInteger(values.requests),
    parsePositiveInteger(values.connections)
  ]
  const faults = /^(0|1|0?\.\d+)$/.test(values.faults) ? Number(values.faults) : undefined
  return requests === undefined || connections === undefined || faults === undefined
    ? undefined
    : { command: "soak", requests, connections, faults }
}

/** Accepts underscores between digits. */
const parsePositiveInteger = (text: string): number | undefined => {
  const number = Number(/^\d[\d_]*$/.test(text) ? text.replaceAll("_", "") : Number.NaN)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

export const usage = (all: ReadonlyArray<Benchmark>): string =>
  `usage: bench [${all.map(({ name }) => name).join("|")} …] [--runs n] [--json]
             [--previous FILE]
       bench profile
       bench isolation [NAME …] [--requests n]
       bench soak [--requests n] [--connections n] [--faults ratio]

Runs all benchmarks by default and prints a table for each: medians of n rounds (default: 15).

--json prints one JSON document on standard output, and the tables on standard error.
--previous FILE
       measures another version in the same run, where FILE is packages/bench/dist/bench.js of another checkout with
       the same benchmarks. Blockquarry then runs in a process for each version.

proxy  compares the CPU time of quarry-proxy and reference servers, each in its own process. Like growth, processes and
       heap it requires Linux and the bundle (npx -y pnpm@10 build). Includes nginx if installed (apt-get install
       nginx-light).
profile
       prints the self time of the hot paths by group: a call of the library, a cache miss and a cache hit of the proxy.
isolation
       prints the latency of two clients of quarry-proxy while a third behaves badly, each with n requests (default: 2000).
       NAME selects the ways whose name contains it. Requires the bundle.
soak   runs quarry-proxy in front of an upstream that fails a ratio of responses (default: 0.05), sends requests
       (default: 1000000) over connections (default: 64), and checks every response, memory and open files. Requires
       Linux and the bundle. Exit status 1: incorrect response, memory or file leak, or too few requests for a result.`
