/** How often each property runs: a sample by default, more in `.ci/full`. */
import * as FastCheck from "effect/FastCheck"

FastCheck.configureGlobal({ numRuns: process.env["QUARRY_FULL"] === "1" ? 200 : 15 })
