/** Runs the bundled program in child processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { shown, words } from "./cases.ts"
import { type Ended, outcome } from "./records.ts"

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
  readonly env: Readonly<Record<string, string>>
  readonly terminal: Terminal
  /** Resolves when stdout contains the text. */
  readonly until: (text: string) => Promise<string>
  readonly interrupt: () => void
  readonly kill: () => void
  readonly ended: Promise<Ended>
}

/** A temporary directory with a copy of the bundle beside a manifest with a constant version, and the processes started from it. */
export class Workshop {
  readonly #directory = mkdtempSync(join(tmpdir(), "quarry-"))
  readonly #kill = new Set<() => void>()

  get #program(): string {
    return join(this.#directory, "dist/quarry.js")
  }

  constructor() {
    writeFileSync(join(this.#directory, "package.json"), JSON.stringify({ type: "module", version: "1.2.3" }))
    cpSync(fileURLToPath(new URL("../../dist/", import.meta.url)), join(this.#directory, "dist"), {
      recursive: true
    })
  }

  /** Kills the remaining processes and removes the directory. */
  remove(): void {
    for (const kill of this.#kill) kill()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  start(line: string, env: Readonly<Record<string, string>> = {}, terminal: Terminal = {}): Started {
    const preload = columns("stdout", terminal.stdout) + columns("stderr", terminal.stderr)
    const child = spawn(
      process.execPath,
      [
        ...(preload === "" ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`]),
        this.#program,
        ...words(line)
      ],
      { env: { PATH: process.env["PATH"], ...env }, stdio: ["ignore", "pipe", "pipe"] }
    )
    this.#kill.add(() => void child.kill("SIGKILL"))
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (text: Buffer) => void (stdout += text.toString()))
    child.stderr.on("data", (text: Buffer) => void (stderr += text.toString()))
    const ended = once(child, "close").then(() => ({ code: child.exitCode, stdout, stderr }))
    return {
      line,
      env,
      terminal,
      ended,
      interrupt: () => void child.kill("SIGINT"),
      kill: () => void child.kill("SIGKILL"),
      until: (text) =>
        new Promise((resolve, reject) => {
          const check = () => {
            if (stdout.includes(text)) resolve(stdout)
          }
          child.stdout.on("data", check)
          child.once(
            "close",
            () => reject(new Error(`exited before the expected output: ${stdout}${stderr}`))
          )
          check()
        })
    }
  }
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
