import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { processCpuTime, resourceUsage } from "../src/Processes.ts"

it.runIf(process.platform === "linux")("measures CPU time, memory and open files of a process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-files-"))
  const [cpuTime, before] = [processCpuTime(process.pid), resourceUsage(process.pid)]
  const { system, user } = process.cpuUsage()
  while (process.cpuUsage({ system, user }).user < 100_000) JSON.parse("[1,2,3]")
  expect(processCpuTime(process.pid) - cpuTime).toBeGreaterThanOrEqual(50_000)
  const server = createServer()
  const file = openSync(join(folder, "file"), "w")
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const after = resourceUsage(process.pid)
  closeSync(file)
  server.close()
  rmSync(folder, { recursive: true })
  expect(after.files - before.files).toBe(2)
  expect(after.resident).toBeGreaterThan(10_000_000)
})
