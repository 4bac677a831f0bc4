/** Subjects of Blockquarry are measured in a process of each version. */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { type Comparison, runComparison } from "../src/Comparison.ts"
import { compareVersions, type Version } from "../src/Worker.ts"

const directory = mkdtempSync(join(tmpdir(), "quarry-worker-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** Writes a bench that replies to every batch, and whose iterations have a cost. */
const writeBench = (name: string, cost: number) => {
  const file = join(directory, `${name}.mjs`)
  writeFileSync(
    file,
    `process.on("message", ({ comparison, iterations, subject }) =>
  process.send(
    process.argv.slice(2).join() === "worker,call" && comparison === "a test" && subject === "blockquarry"
      ? { records: iterations, cost: iterations * ${cost} }
      : {}
  ))`
  )
  return file
}

const comparison: Comparison = {
  title: "a test",
  unit: "call",
  records: 1,
  baseline: { name: "baseline", clock: Effect.succeed(0), batch: Effect.succeed },
  blockquarry: [{
    name: "blockquarry",
    target: { ratio: 2 },
    batch: () => Effect.dieMessage("runs in this process")
  }]
}

const compare = (benchmark: string, versions: ReadonlyArray<Version>) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const [compared = comparison] = yield* compareVersions(benchmark, [comparison], versions)
    return yield* runComparison(compared, { rounds: 3, warmUp: 0, batch: 0, clock: Effect.succeed(0) })
  })))

it("measures each version by what its process reports", async () => {
  const versions = [
    { name: "new", bench: writeBench("new", 7) },
    { name: "old", bench: writeBench("old", 70) }
  ]
  expect(await compare("call", versions)).toMatchObject([
    { name: "baseline" },
    { name: "blockquarry, new", cost: 7, target: { ratio: 2 } },
    { name: "blockquarry, old", cost: 70, target: { ratio: 2 } }
  ])
})

it("an unexpected reply is an error", async () => {
  const versions = [{ name: "new", bench: writeBench("new", 7) }]
  await expect(compare("another", versions)).rejects.toThrow("unexpected reply of a worker")
})
