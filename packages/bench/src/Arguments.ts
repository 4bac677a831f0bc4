/** Parses the command line. */
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import type { Benchmark } from "./Comparison.ts"
import { type Misbehavior, misbehaviors } from "./isolation/Misbehavior.ts"

export type BenchCommand =
  | { readonly command: "help" | "profile" }
  | typeof CompareOptions.Type & {
    readonly command: "compare"
    readonly benchmarks: ReadonlyArray<Benchmark>
  }
  | { readonly command: "worker"; readonly benchmark: Benchmark }
  | {
    readonly command: "isolation"
    readonly requests: number
    readonly selected: ReadonlyArray<Misbehavior>
  }
  | { readonly command: "noise"; readonly misbehavior: Misbehavior; readonly port: number }
  | typeof SoakOptions.Type & { readonly command: "soak" }

const Count = Schema.NumberFromString.pipe(Schema.int(), Schema.positive())

const count = (value: number) => Schema.optionalWith(Count, { default: () => value })

const CompareOptions = Schema.Struct({
  runs: count(15),
  json: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** The path of the bench of another version, which is measured too. */
  previous: Schema.optional(Schema.String)
})

const IsolationOptions = Schema.Struct({ requests: count(2000) })

export const SoakOptions = Schema.Struct({
  requests: count(1_000_000),
  connections: count(64),
  /** The ratio of upstream requests that fail. */
  faults: Schema.optionalWith(Schema.NumberFromString.pipe(Schema.between(0, 1)), { default: () => 0.05 })
})

/** Returns the command. Throws if the arguments are invalid. */
export const parseArguments = (
  args: ReadonlyArray<string>,
  all: ReadonlyArray<Benchmark>
): BenchCommand => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      runs: { type: "string" },
      json: { type: "boolean" },
      previous: { type: "string" },
      requests: { type: "string" },
      connections: { type: "string" },
      faults: { type: "string" }
    }
  })
  const decode = <A, I>(options: Schema.Schema<A, I>): A =>
    Schema.decodeUnknownSync(options, { onExcessProperty: "error" })(values)
  if (values.help === true) return { command: "help" }
  const [command, ...names] = positionals
  switch (command) {
    case "profile":
      names.forEach((name) => findByName([], name))
      return { command, ...decode(Schema.Struct({})) }
    case "isolation": {
      const selected = misbehaviors.filter(({ name }) =>
        names.length === 0 || names.some((part) => name.includes(part))
      )
      return { command, ...decode(IsolationOptions), selected }
    }
    case "soak":
      names.forEach((name) => findByName([], name))
      return { command, ...decode(SoakOptions) }
    case "worker":
      return { command, benchmark: findByName(all, names[0]) }
    case "noise":
      return { command, misbehavior: findByName(misbehaviors, names[0]), port: Number(names[1]) }
    default: {
      const benchmarks = positionals.length === 0 ? all : positionals.map((name) => findByName(all, name))
      return { command: "compare", ...decode(CompareOptions), benchmarks }
    }
  }
}

const findByName = <A extends { readonly name: string }>(all: ReadonlyArray<A>, name = ""): A => {
  const found = all.find((item) => item.name === name)
  if (found === undefined) throw new Error(`unknown argument: ${name}`)
  return found
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
