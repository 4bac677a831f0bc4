/** All benchmarks, in the order in which they run. */
import type { Benchmark } from "../Benchmark.ts"
import { call } from "./call.ts"
import { decode } from "./decode.ts"
import { raw } from "./raw.ts"
import { walk } from "./walk.ts"

export const all: ReadonlyArray<Benchmark> = [decode, call, walk, raw]
