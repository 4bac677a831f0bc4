/** The sizes of bundled programs, minified, after gzip, in bytes. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { expect, it } from "vitest"
import { makeTemporaryDirectory, pathTo, runProgram } from "../src/Processes.ts"

const sizeOf = (directory: string, name: string): Effect.Effect<number> =>
  Effect.map(
    runProgram({
      args: [
        pathTo("packages/bench/bundleProgram.mjs"),
        pathTo(`packages/bench/src/programs/${name}.ts`),
        join(directory, `${name}.mjs`)
      ]
    }),
    ({ output }) => Number(output)
  )

it("a program with DataApi is bounded, and one with an operation of its own is no larger", async () => {
  const sizes = Effect.flatMap(makeTemporaryDirectory, (directory) =>
    Effect.all({
      ownApi: sizeOf(directory, "ownApi"),
      dataApi: sizeOf(directory, "dataApi")
    }))
  const { dataApi, ownApi } = await Effect.runPromise(Effect.scoped(sizes))
  expect(dataApi).toBeLessThan(127_200)
  expect(ownApi).toBeLessThanOrEqual(dataApi)
})
