/** The bundled program in child processes. */
import {
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn
} from "node:child_process"
import { once } from "node:events"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { words } from "../golden/cases.ts"

/** The path of the bundled program. */
export const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))

export type Variables = Readonly<Record<string, string>>

export interface ProcessResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts the program. Of the environment of the tests it has only PATH. */
export const startProcess = (
  argv: ReadonlyArray<string>,
  env: Variables = {},
  cwd?: string
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [program, ...argv], { cwd, env: { PATH: process.env["PATH"], ...env } })

export const exitOf = (
  child: ChildProcessByStdio<Writable | null, Readable, Readable>
): Promise<ProcessResult> =>
  new Promise((resolve) => {
    let out = ""
    let err = ""
    // Of a character that two pieces have, too
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
    child.on("close", (code) => resolve({ code, out, err }))
  })

/** Runs the program until it exits. */
export const runProcess = (...parameters: Parameters<typeof startProcess>): Promise<ProcessResult> =>
  exitOf(startProcess(...parameters))

/** Widths of simulated terminals, because tests run without a terminal. */
export interface Terminal {
  readonly stdout?: number
  readonly stderr?: number
}

const columns = (name: "stdout" | "stderr", width: number | undefined): string =>
  width === undefined ? "" : `process.${name}.isTTY = true; process.${name}.columns = ${width};`

export interface Started {
  readonly line: string
  readonly env: Variables
  readonly terminal: Terminal
  /** Resolves when stdout contains the text. */
  readonly until: (text: string) => Promise<string>
  readonly interrupt: () => void
  readonly kill: () => void
  readonly ended: Promise<ProcessResult>
}

/** Starts the program. It is killed at the end of the test. */
export const start = (line: string, env: Variables = {}, terminal: Terminal = {}): Started => {
  const preload = columns("stdout", terminal.stdout) + columns("stderr", terminal.stderr)
  const options = `--import "data:text/javascript,${encodeURIComponent(preload)}"`
  const child = startProcess(words(line), { ...env, ...preload === "" ? {} : { NODE_OPTIONS: options } })
  onTestFinished(() => void child.kill("SIGKILL"))
  let stdout = ""
  child.stdout.on("data", (text: Buffer) => void (stdout += text.toString()))
  const ended = exitOf(child)
  return {
    line,
    env,
    terminal,
    ended,
    interrupt: () => void child.kill("SIGINT"),
    kill: () => void child.kill("SIGKILL"),
    until: async (text) => {
      while (!stdout.includes(text)) await Promise.race([once(child.stdout, "data"), ended.then(fail)])
      return stdout
    }
  }
}

const fail = ({ err, out }: ProcessResult) => {
  throw new Error(`exited before the expected output: ${out}${err}`)
}

/** Whether `script` of util-linux is installed, which creates terminals. */
export const hasScript = ((): boolean => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux")
  } catch {
    return false
  }
})()

/** Runs a shell command at a terminal, which reports 0 columns and 0 rows. Types when the screen shows a text. */
export const atTerminal = async (
  command: string,
  env: Variables,
  typing?: { readonly at: string; readonly keys: string }
): Promise<{ readonly code: number | null; readonly screen: string }> => {
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { PATH: process.env["PATH"], TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"]
  })
  let screen = ""
  let isTyped = typing === undefined
  child.stdout.on("data", (data: Buffer) => {
    screen += data.toString()
    if (isTyped || !screen.includes(typing?.at ?? "")) return
    isTyped = true
    child.stdin.write(typing?.keys)
  })
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, screen })))
}

/** The program as words of a shell. */
export const shellProgram = `'${process.execPath}' '${program}'`
