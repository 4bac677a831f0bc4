/** All benchmarks, in the order in which they run. */
import type { Benchmark } from "../Benchmark.ts"
import { call } from "./call.ts"
import { decode } from "./decode.ts"
import { hits } from "./hits.ts"
import { limiter } from "./limiter.ts"
import { pagination } from "./pagination.ts"
import { proxy } from "./proxy.ts"
import { raw } from "./raw.ts"
import { stages } from "./stages.ts"

export const allBenchmarks: ReadonlyArray<Benchmark> = [
  decode,
  call,
  pagination,
  raw,
  stages,
  hits,
  limiter,
  proxy
]
