/** The lock of a file over real processes that find the same stale lock at the same moment. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { lockFile } from "../../src/files/FileLock.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { lockName, temporaryFolder } from "../support/exports.ts"
import { runProcess } from "../support/process.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Rounds of each kind. */
const rounds = isFull ? 200 : 15

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
const leaveLock = (file: string, name: string): void => {
  mkdirSync(`${file}.lock`)
  writeFileSync(join(`${file}.lock`, name), "")
}

it("of a process that has ended is taken over by one of three", async () => {
  const workers = startWorkers(3)
  const pid = await endedProcess()
  const folder = temporaryFolder()
  const file = join(folder, "file")
  for (let round = 0; round < rounds; round++) {
    leaveLock(file, lockName(pid))
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
  leaveLock(file, lockName(pid))
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

/** Takes the lock, and returns whether that succeeds. */
const isFree = (file: string): Promise<boolean> =>
  Effect.runPromise(Effect.map(Effect.either(Effect.scoped(lockFile(file))), Either.isRight))

it("of a process that has ended is free, also if its id belongs to another process now", async () => {
  const file = join(temporaryFolder(), "file")
  for (const name of [lockName(await endedProcess(), "00"), lockName(process.pid, "00")]) {
    leaveLock(file, name)
    expect(await isFree(file)).toBe(true)
  }
  leaveLock(file, lockName(1, "", "another"))
  expect(await isFree(file)).toBe(false)
})

it("is not taken from a process that is faster to take it over, which the other one names", async () => {
  const file = join(temporaryFolder(), "transfers.csv")
  leaveLock(file, lockName(1, "", "first"))
  const winner = lockName(2, "", "second")
  // Between what the process reads and its own rename
  const preload = `
    import fs from "node:fs/promises"
    import { syncBuiltinESMExports } from "node:module"
    const { rename } = fs
    fs.rename = async (from, to) => {
      Object.assign(fs, { rename })
      syncBuiltinESMExports()
      await rename(from, ${JSON.stringify(join(`${file}.lock`, winner))})
      return rename(from, to)
    }
    syncBuiltinESMExports()`
  const argv = ["wallet", "transfers", exampleValues.wallet, "--sandbox", "--to", file, "--take-over"]
  const result = await runProcess(argv, {
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(preload)}"`
  })
  expect(result).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /another process \(2 on second\) is writing .*; it was last active .* ago\nhint: wait until it ends, or use --take-over if it has ended\n/
    )
  })
  expect(readdirSync(`${file}.lock`)).toEqual([winner])
})

// Elsewhere a process has no known start
it.skipIf(process.platform !== "linux")("of a process that runs is not taken over", async () => {
  const [worker] = startWorkers(1)
  const file = join(temporaryFolder(), "file")
  expect(worker && await ask(worker, file)).toBe("held")
  const error = await Effect.runPromise(Effect.flip(Effect.scoped(lockFile(file, true))))
  expect(error.hint).toBe("wait until it ends")
})

it.skipIf(process.platform !== "linux")(
  "of a killed process whose parent never reads its status is free",
  async () => {
    const file = join(temporaryFolder(), "file")
    // A shell would read the status of its child: after `exec`, it is `sleep`, which does not know of one
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    onTestFinished(() => void parent.kill("SIGKILL"))
    const [text] = await once(parent.stdout, "data")
    const pid = Number(text)
    while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await setImmediate()
    leaveLock(file, lockName(pid))
    expect(await isFree(file)).toBe(false)
    process.kill(pid, "SIGKILL")
    while (readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] !== "Z") await setImmediate()
    expect(await isFree(file)).toBe(true)
  }
)

it("removes what processes left that were killed while they took it", async () => {
  const folder = temporaryFolder()
  const ended = await endedProcess()
  const kept = [
    `other.lock.${lockName(ended)}`,
    `file.lock.${lockName(1, "", "elsewhere")}`,
    `file.lock.${lockName(process.pid)}`,
    "file.lock.txt"
  ]
  for (const name of [...kept, `file.lock.${lockName(ended)}`]) mkdirSync(join(folder, name))
  expect(await isFree(join(folder, "file"))).toBe(true)
  expect(readdirSync(folder).sort()).toEqual(kept.toSorted())
})
