/** The lock of a file over real processes that find the same stale lock at the same moment. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { lockFile } from "../../src/files/FileLock.ts"
import { lockName, temporaryFolder } from "../support/exports.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** 500 rounds of each kind in the long suite. */
const rounds = isFull ? 500 : 15

const bundled = mkdtempSync(join(tmpdir(), "quarry-lock-"))
const program = join(bundled, "worker.mjs")

beforeAll(() => {
  execFileSync(process.execPath, ["../../scripts/bundle.mjs", "test/files/lockWorker.ts", program], {
    cwd: root
  })
})

afterAll(() => rmSync(bundled, { recursive: true }))

/** Starts processes that take locks. */
const startWorkers = (count: number): ReadonlyArray<ChildProcess> => {
  const workers = Array.from({ length: count }, () => fork(program))
  onTestFinished(() => workers.forEach((worker) => void worker.kill("SIGKILL")))
  return workers
}

const ask = async (worker: ChildProcess, file: string | null): Promise<unknown> => {
  const answer = once(worker, "message")
  worker.send(file ?? false)
  return (await answer)[0]
}

const endedProcess = async (): Promise<number> => {
  const child = spawn(process.execPath, ["-e", ""])
  await once(child, "close")
  return child.pid ?? 0
}

/** Leaves the lock of a process. */
const leaveLock = (file: string, pid: number): void => {
  mkdirSync(`${file}.lock`)
  writeFileSync(join(`${file}.lock`, lockName(pid)), "")
}

it("of a process that has ended is taken over by one of three", async () => {
  const workers = startWorkers(3)
  const pid = await endedProcess()
  const folder = temporaryFolder()
  const file = join(folder, "file")
  for (let round = 0; round < rounds; round++) {
    leaveLock(file, pid)
    const answers = await Promise.all(workers.map((worker) => ask(worker, file)))
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1)
    await Promise.all(workers.map((worker) => ask(worker, null)))
    expect(readdirSync(folder)).toEqual([])
  }
})

it("is taken over again when the process that took it over is killed at any moment", async () => {
  const pid = await endedProcess()
  const folder = temporaryFolder()
  const file = join(folder, "file")
  leaveLock(file, pid)
  for (let round = 0; round < rounds / 10; round++) {
    const killed = fork(program)
    killed.send(file)
    // Before, while or after it takes the lock
    if (round % 2 === 0) await once(killed, "message")
    killed.kill("SIGKILL")
    await once(killed, "close")
    const next = fork(program)
    expect(await ask(next, file)).toBe("held")
    next.kill("SIGKILL")
    await once(next, "close")
  }
})

it.effect("is not released, and not written under, when it is no longer that of the process", () =>
  Effect.gen(function*() {
    const file = join(temporaryFolder(), "file")
    yield* Effect.scoped(Effect.gen(function*() {
      const { requireHeld } = yield* lockFile(file)
      yield* requireHeld
      rmSync(`${file}.lock`, { recursive: true })
      leaveLock(file, 1)
      const { _tag } = yield* Effect.flip(requireHeld)
      expect(_tag).toBe("FileLockedError")
    }))
    expect(readdirSync(`${file}.lock`)).toHaveLength(1)
  }))
