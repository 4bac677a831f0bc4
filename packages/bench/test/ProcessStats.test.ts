import * as Effect from "effect/Effect"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as ProcessStats from "../src/ProcessStats.ts"

const isLinux = process.platform === "linux"

it("parses the CPU time of a thread", () => {
  expect(ProcessStats.parseCpuTime("2810000123 13832031 156\n")).toBeCloseTo(2_810_000.123)
})

it("parses the resident set size", () => {
  expect(
    ProcessStats.parseResidentBytes("Name:\tnode\nVmHWM:\t  90000 kB\nVmRSS:\t   81234 kB\nRssAnon:\t 1 kB\n")
  )
    .toBe(81_234 * 1024)
})

it.runIf(isLinux)("measures this process", async () => {
  const before = await Effect.runPromise(ProcessStats.processCpuTime(process.pid))
  const { system, user } = process.cpuUsage()
  while (process.cpuUsage({ system, user }).user < 100_000) JSON.parse("[1,2,3]")
  expect(await Effect.runPromise(ProcessStats.processCpuTime(process.pid)) - before).toBeGreaterThanOrEqual(
    50_000
  )
  expect((await Effect.runPromise(ProcessStats.resourceUsage(process.pid))).resident).toBeGreaterThan(
    10_000_000
  )
})

it.runIf(isLinux)("counts open files and sockets", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-files-"))
  const server = createServer()
  const before = await Effect.runPromise(ProcessStats.resourceUsage(process.pid))
  const file = openSync(join(folder, "file"), "w")
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const after = await Effect.runPromise(ProcessStats.resourceUsage(process.pid))
  closeSync(file)
  server.close()
  rmSync(folder, { recursive: true })
  expect([after.files - before.files, after.sockets - before.sockets]).toEqual([2, 1])
})

it.runIf(isLinux)("fails for a process that exited", async () => {
  await expect(Effect.runPromise(ProcessStats.processCpuTime(2 ** 30))).rejects.toThrow("process exited")
})
