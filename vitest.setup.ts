import { effect, it, scoped } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { setImmediate } from "node:timers/promises"
import { afterEach } from "vitest"

// How often each property runs: a sample by default, more in `.ci/full`
FastCheck.configureGlobal({ numRuns: process.env["QUARRY_FULL"] === "1" ? 200 : 15 })

// `layer` replaces these methods of `it`, also for the next files of the same worker
Object.assign(it, { effect, scoped })

// Tests with a test clock need no turn of the event loop, so a busy machine could run a file of them for longer than Vitest waits
// for the messages of a worker
afterEach(() => setImmediate())
