/** The size of a bundled program, minified, after gzip, in bytes. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { expect, it } from "vitest"
import { makeTemporaryDirectory, pathTo, runProgram } from "../src/Processes.ts"

it("a program with DataApi is bounded", async () => {
  const size = Effect.flatMap(makeTemporaryDirectory, (directory) =>
    runProgram({
      args: [
        pathTo("packages/bench/bundleProgram.mjs"),
        pathTo("packages/bench/src/programs/dataApi.ts"),
        join(directory, "dataApi.mjs")
      ]
    }))
  const { output } = await Effect.runPromise(Effect.scoped(size))
  expect(Number(output)).toBeLessThan(127_000)
})
