/** The bundled program in child processes. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

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

export const exitOf = (child: ChildProcessWithoutNullStreams): Promise<ProcessResult> =>
  new Promise((resolve) => {
    let out = ""
    let err = ""
    child.stdout.on("data", (data: Buffer) => (out += data.toString()))
    child.stderr.on("data", (data: Buffer) => (err += data.toString()))
    child.on("close", (code) => resolve({ code, out, err }))
  })

/** Runs the program until it exits. */
export const runProcess = (...parameters: Parameters<typeof startProcess>): Promise<ProcessResult> =>
  exitOf(startProcess(...parameters))

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
