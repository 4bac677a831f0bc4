/** All benchmarks, in the order in which they run. */
import type { Benchmark } from "../Comparison.ts"
import { call } from "./call.ts"
import { decode } from "./decode.ts"
import { hits, raw } from "./engine.ts"
import { growth } from "./growth.ts"
import { pagination } from "./pagination.ts"
import { cli, exports, programs } from "./programs.ts"
import { processes, proxy } from "./proxy.ts"

export const allBenchmarks: ReadonlyArray<Benchmark> = [
  decode,
  call,
  raw,
  pagination,
  hits,
  programs,
  cli,
  exports,
  proxy,
  growth,
  processes
]
