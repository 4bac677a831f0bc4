import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { forkProcess, makeTemporaryDirectory, processCpuTime, resourceUsage } from "../src/Processes.ts"

/** A program that uses CPU time, memory and files, each after a message. It replies with its own CPU time, in microseconds. */
const program = `
  import { openSync } from "node:fs"
  import { createServer } from "node:net"
  const used = []
  const actions = {
    wait: () => {},
    work: () => {
      const { user, system } = process.cpuUsage()
      while (process.cpuUsage({ user, system }).user < 100_000) JSON.parse("[1,2,3]")
    },
    remember: () => void used.push(Buffer.alloc(50_000_000, 1)),
    open: () => {
      for (let count = 0; count < 10; count++) openSync(process.argv[1])
      return new Promise((resolve) => used.push(createServer().listen(0, "127.0.0.1", resolve)))
    }
  }
  process.on("disconnect", () => process.exit())
  process.on("message", async ({ action }) => {
    await actions[action]()
    const { user, system } = process.cpuUsage()
    process.send(user + system)
  })
`

it.scopedLive.runIf(process.platform === "linux")(
  "measures CPU time, memory and open files of a process",
  () =>
    Effect.gen(function*() {
      const file = join(yield* makeTemporaryDirectory, "program.mjs")
      writeFileSync(file, program)
      const { pid, sendMessage } = yield* forkProcess(file)
      const after = (action: string) =>
        Effect.map(sendMessage({ action }), (used) => ({
          used: Number(used),
          cpuTime: processCpuTime(pid),
          ...resourceUsage(pid)
        }))
      const before = yield* after("wait")
      const worked = yield* after("work")
      expect(worked.used - before.used).toBeGreaterThanOrEqual(100_000)
      expect(worked.cpuTime - before.cpuTime).toBeGreaterThanOrEqual(50_000)
      const remembered = yield* after("remember")
      expect(remembered.resident - worked.resident).toBeGreaterThan(25_000_000)
      expect((yield* after("open")).files - remembered.files).toBe(11)
    })
)
