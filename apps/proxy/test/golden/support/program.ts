/** Runs the built program as a process and captures its output. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { eventually } from "../../fleet/support/Eventually.ts"

export interface Written {
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly written: () => Written
  /** Lines of standard error without repetitions: a reload may run twice if a file change is detected late. */
  readonly lines: () => ReadonlyArray<string>
  readonly signal: (name: NodeJS.Signals) => void
  /** Waits for at least `count` lines. */
  readonly reached: (count: number) => Promise<void>
  readonly ended: () => Promise<number | null>
}

const withoutTime = (line: string): string =>
  line.replaceAll(/"time":"[^"]*"/g, "").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")

export const start = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Running => {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const written = { stdout: "", stderr: "" }
  const end: { code: number | null; isOver: boolean } = { code: null, isOver: false }
  child.stdout.on("data", (text: Buffer) => written.stdout += text.toString())
  child.stderr.on("data", (text: Buffer) => written.stderr += text.toString())
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  child.once("close", (code) => {
    process.off("exit", kill)
    Object.assign(end, { code, isOver: true })
  })
  const lines = (): ReadonlyArray<string> => {
    const unique: Array<string> = []
    for (const line of written.stderr.split("\n").slice(0, -1)) {
      if (!unique.slice(-2).some((other) => withoutTime(other) === withoutTime(line))) unique.push(line)
    }
    return unique
  }
  const wait = (what: string, holds: () => boolean) =>
    Effect.runPromise(eventually(`${what}: ${written.stdout}${written.stderr}`, holds))
  return {
    written: () => ({ ...written }),
    lines,
    signal: (name) => void child.kill(name),
    reached: (count) => wait(`${count} lines`, () => lines().length >= count || end.isOver),
    ended: async () => {
      await wait("the exit of the program", () => end.isOver)
      return end.code
    }
  }
}
