import { effect, it, scoped } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

// How often each property runs: a sample by default, more in `.ci/full`
FastCheck.configureGlobal({ numRuns: process.env["QUARRY_FULL"] === "1" ? 200 : 15 })

// `layer` replaces these methods of `it`, also for the next files of the same worker
Object.assign(it, { effect, scoped })
