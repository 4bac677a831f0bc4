/** Runs the bundled program in child processes. */
import { once } from "node:events"
import { createServer } from "node:net"
import { onTestFinished } from "vitest"
import { exitOf, type ProcessResult, startProcess, type Variables } from "../support/process.ts"
import { shown, words } from "./cases.ts"
import { outcome } from "./records.ts"

/** Names of the records. */
export const names = ["process-lines", "process-terminals", "process-servers"] as const

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

/** Formats the record of a process. */
export const record = async ({ ended, env, line, terminal }: Started): Promise<string> =>
  [
    ...Object.entries(env).map(([name, value]) => `env ${name}=${JSON.stringify(value)}\n`),
    ...(terminal.stdout === undefined ? [] : [`standard output: a terminal of ${terminal.stdout} columns\n`]),
    ...(terminal.stderr === undefined ? [] : [`standard error: a terminal of ${terminal.stderr} columns\n`]),
    `${shown(line)}\n`,
    outcome(await ended)
  ].join("")

/** Returns a port without a listener. */
export const closedPort = async (): Promise<number> => {
  const { close, port } = await openPort()
  await close()
  return port
}

/** Returns a port that is in use. */
export const openPort = async (): Promise<{ readonly port: number; readonly close: () => Promise<void> }> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
