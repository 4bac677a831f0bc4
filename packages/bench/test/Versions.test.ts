/** Subjects of Blockquarry are measured in a process of each version. */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { type Comparison, runComparison } from "../src/Comparison.ts"
import { compareVersions, type Version } from "../src/Versions.ts"

const directory = mkdtempSync(join(tmpdir(), "quarry-worker-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** Writes a bench that replies to every batch. An iteration of its baseline costs 10 and one of Blockquarry `cost`. */
const writeBench = (name: string, cost: number) => {
  const file = join(directory, `${name}.mjs`)
  writeFileSync(
    file,
    `process.on("message", ({ comparison, iterations, subject }) =>
  process.send(
    process.argv.slice(2).join() === "worker,call" && comparison === "a test"
      ? { records: iterations, cost: iterations * (subject === "blockquarry" ? ${cost} : 10) }
      : {}
  ))`
  )
  return file
}

const free = (iterations: number) => Effect.succeed({ records: iterations, cost: 0 })

const comparison: Comparison = {
  title: "a test",
  unit: "call",
  records: 1,
  baseline: { name: "baseline", run: free },
  blockquarry: [{
    name: "blockquarry",
    target: { ratio: 2 },
    run: () => Effect.dieMessage("runs in this process")
  }]
}

const compare = (benchmark: string, versions: ReadonlyArray<Version>, own = comparison) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const [compared = own] = yield* compareVersions(benchmark, [own], versions)
    return yield* runComparison(compared, { rounds: 3, warmUp: 0, batch: 0 })
  })))

const versions = [
  { name: "new", bench: writeBench("new", 7) },
  { name: "old", bench: writeBench("old", 70) }
]

it("measures each version and the baseline by what the process of the version reports", async () => {
  expect(await compare("call", versions)).toMatchObject([
    { name: "baseline" },
    { name: "baseline, new", cost: 10 },
    { name: "blockquarry, new", cost: 7, baseline: "baseline, new", ratio: 0.7, target: { ratio: 2 } },
    { name: "baseline, old", cost: 10 },
    { name: "blockquarry, old", cost: 70, baseline: "baseline, old", ratio: 7, target: { ratio: 2 } }
  ])
})

it("compares each version with a baseline in another process, such as a server", async () => {
  const server = {
    name: "server",
    isExternal: true,
    run: (iterations: number) => Effect.succeed({ records: iterations, cost: 35 * iterations })
  }
  expect(await compare("call", versions, { ...comparison, baseline: server })).toMatchObject([
    { name: "server", cost: 35 },
    { name: "blockquarry, new", cost: 7, baseline: "server", ratio: 0.2 },
    { name: "blockquarry, old", cost: 70, baseline: "server", ratio: 2 }
  ])
})

it("an unexpected reply is an error", async () => {
  const versions = [{ name: "new", bench: writeBench("new", 7) }]
  await expect(compare("another", versions)).rejects.toThrow("unexpected reply of a worker")
})
