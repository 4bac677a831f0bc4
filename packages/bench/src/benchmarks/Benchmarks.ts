/** All benchmarks, in the order in which they run. */
import type { Benchmark } from "../Benchmark.ts"
import { call } from "./call.ts"
import { cli } from "./cli.ts"
import { decode } from "./decode.ts"
import { exports } from "./export.ts"
import { growth } from "./growth.ts"
import { heap } from "./heap.ts"
import { hits } from "./hits.ts"
import { limiter } from "./limiter.ts"
import { pagination } from "./pagination.ts"
import { processes } from "./processes.ts"
import { programs } from "./programs.ts"
import { proxy } from "./proxy.ts"
import { raw } from "./raw.ts"
import { stages } from "./stages.ts"

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
  stages,
  limiter,
  growth,
  processes,
  heap
]
