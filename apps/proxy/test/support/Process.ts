/** Programs as operating system processes, first of all the bundled one, which `npx -y pnpm@10 test` builds before the tests. */
import { spawn, type SpawnOptionsWithoutStdio } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** The folder with the bundled program and its chunks. */
export const distribution = fileURLToPath(new URL("../../dist/", import.meta.url))

export const quarryProxy = fileURLToPath(new URL("../../dist/quarry-proxy.js", import.meta.url))

interface Written {
  readonly stdout: string
  readonly stderr: string
}

export interface Ended extends Written {
  readonly code: number | null
}

export class Program {
  readonly #child
  readonly #written = { stdout: "", stderr: "" }
  readonly #closed: Promise<unknown>

  constructor(
    [command = "", ...words]: ReadonlyArray<string>,
    { env, ...options }: SpawnOptionsWithoutStdio
  ) {
    this.#child = spawn(command, words, { ...options, env: { PATH: process.env["PATH"], ...env } })
    this.#child.stdout.on("data", (text: Buffer) => void (this.#written.stdout += text.toString()))
    this.#child.stderr.on("data", (text: Buffer) => void (this.#written.stderr += text.toString()))
    // No process may outlive the tests, even if they are aborted
    const kill = () => this.signal("SIGKILL")
    process.once("exit", kill)
    this.#closed = once(this.#child, "close").finally(() => process.off("exit", kill))
  }

  /** The output so far. */
  get written(): Written {
    return { ...this.#written }
  }

  /** The exit status, and the signal that ended the process, if any. */
  get status() {
    return { code: this.#child.exitCode, signal: this.#child.signalCode }
  }

  /** Waits until a condition holds for the output. */
  until(holds: (written: Written) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => holds(this.written) ? end(resolve) : undefined
      const gone = () => end(() => reject(new Error(`the program exited: ${JSON.stringify(this.written)}`)))
      const end = (settle: () => void) => {
        this.#child.stdout.off("data", check)
        this.#child.stderr.off("data", check)
        this.#child.off("close", gone)
        settle()
      }
      this.#child.stdout.on("data", check)
      this.#child.stderr.on("data", check)
      this.#child.on("close", gone)
      check()
    })
  }

  /** Writes to standard input. */
  type(text: string): void {
    this.#child.stdin.write(text)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Waits for the exit. */
  async ended(): Promise<Ended> {
    await this.#closed
    return { code: this.#child.exitCode, ...this.written }
  }
}
