/** The lock of a file over real processes that find the same stale lock at the same moment. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { lockFile } from "../../src/files/FileLock.ts"
import { temporaryFolder } from "../support/exports.ts"

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

const lockOf = (pid: number, id: string): string => JSON.stringify({ id, pid, start: "", host: hostname() })

it.each([0, 1, 2])(
  "of a process that has ended is taken over by one of three; %i processes ended while they took it over",
  async (interrupted) => {
    const workers = startWorkers(3)
    const pid = await endedProcess()
    const folder = temporaryFolder()
    const file = join(folder, "file")
    const held: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const ids = Array.from({ length: interrupted + 1 }, () => randomUUID())
      ids.forEach((id, index) =>
        writeFileSync(index === 0 ? `${file}.lock` : `${file}.lock.claim-${ids[index - 1]}`, lockOf(pid, id))
      )
      const answers = await Promise.all(workers.map((worker) => ask(worker, file)))
      held.push(answers.filter((answer) => answer === "held").length)
      await Promise.all(workers.map((worker) => ask(worker, null)))
      expect(readdirSync(folder)).toEqual([])
    }
    expect(held).toEqual(Array.from({ length: rounds }, () => 1))
  }
)

it("is taken over again when the process that took it over is killed at any moment", async () => {
  const pid = await endedProcess()
  const folder = temporaryFolder()
  const file = join(folder, "file")
  writeFileSync(`${file}.lock`, lockOf(pid, randomUUID()))
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
    const other = lockOf(1, randomUUID())
    yield* Effect.scoped(Effect.gen(function*() {
      const { requireHeld } = yield* lockFile(file)
      yield* requireHeld
      rmSync(`${file}.lock`)
      writeFileSync(`${file}.lock`, other)
      const { _tag } = yield* Effect.flip(requireHeld)
      expect(_tag).toBe("FileLockedError")
    }))
    expect(readFileSync(`${file}.lock`, "utf8")).toBe(other)
  }))
