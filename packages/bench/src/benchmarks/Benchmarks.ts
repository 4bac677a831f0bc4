/** All benchmarks, in the order in which they run. */
import type { Benchmark } from "../Comparison.ts"
import { call } from "./call.ts"
import { cli, exports } from "./cli.ts"
import { decode } from "./decode.ts"
import { firstCall, hits, raw } from "./engine.ts"
import { pagination } from "./pagination.ts"
import { proxy } from "./proxy.ts"

export const allBenchmarks: ReadonlyArray<Benchmark> = [
  decode,
  call,
  raw,
  pagination,
  hits,
  firstCall,
  cli,
  exports,
  proxy
]
