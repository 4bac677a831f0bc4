/** Runs the bundled program as processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { distribution } from "../support/program.ts"
import type { Case } from "./cases.ts"
import { type Ended, version } from "./records.ts"

/** A temporary directory with a copy of the bundled program, beside a manifest with a constant version. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "quarry-proxy-"))
  readonly #programs: Array<Program> = []

  get #program(): string {
    return join(this.folder, "dist/quarry-proxy.js")
  }

  constructor() {
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ type: "module", version }))
    cpSync(distribution, join(this.folder, "dist"), { recursive: true })
  }

  /** Kills running programs and removes the directory. */
  remove(): void {
    for (const program of this.#programs) program.signal("SIGKILL")
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Starts a case with its files below a separate root directory. `place` makes further replacements in its texts. */
  start(input: Case, place: (text: string) => string = (text) => text, launch: Launch = {}): Program {
    const root = join(this.folder, `root-${this.#programs.length}`)
    const paths = Object.keys(input.files).toSorted((a, b) => b.length - a.length)
    const folders = [...new Set([...paths.map(dirname), "/etc"])]
    const placed = (text: string): string =>
      place(text).replaceAll(
        new RegExp(`(?<![\\w.-])(?:${folders.join("|")})/`, "g"),
        (folder) => `${root}${folder}`
      )
    mkdirSync(join(root, "etc"), { recursive: true })
    for (const [path, entry] of Object.entries(input.files)) {
      const at = join(root, path)
      mkdirSync(path.endsWith("/") ? at : dirname(at), { recursive: true })
      if (path.endsWith("/") || entry === null) continue
      const { mode = 0o600, text } = typeof entry === "string" ? { text: entry } : entry
      writeFileSync(at, typeof text === "string" ? placed(text) : text)
      chmodSync(at, mode & 0o777)
    }
    const args = input.args.map(placed)
    const env = Object.fromEntries(Object.entries(input.env).map(([name, value]) => [name, placed(value)]))
    const program = new Program(this.#program, args, env, root, launch)
    this.#programs.push(program)
    return program
  }
}

/** How a program is started. */
export interface Launch {
  /** The command, with its arguments, that starts Node.js. */
  readonly launcher?: ReadonlyArray<string>
  readonly nodeOptions?: ReadonlyArray<string>
}

export class Program {
  readonly #child
  readonly #root: string
  readonly #written = { stdout: "", stderr: "" }
  readonly #closed: Promise<unknown>

  constructor(
    program: string,
    args: ReadonlyArray<string>,
    env: Readonly<Record<string, string>>,
    root: string,
    { launcher = [], nodeOptions = [] }: Launch
  ) {
    this.#root = root
    const [command = "", ...words] = [...launcher, process.execPath, ...nodeOptions, program, ...args]
    this.#child = spawn(command, words, { env: { PATH: process.env["PATH"], ...env }, cwd: root })
    this.#child.stdout.on("data", (text: Buffer) => void (this.#written.stdout += text.toString()))
    this.#child.stderr.on("data", (text: Buffer) => void (this.#written.stderr += text.toString()))
    this.#closed = once(this.#child, "close")
  }

  /** Returns the actual path of a path of the case. */
  at(path: string): string {
    return join(this.#root, path)
  }

  /** The output so far. */
  get written(): Pick<Ended, "stdout" | "stderr"> {
    const { stderr, stdout } = this.#written
    return { stdout: stdout.replaceAll(this.#root, ""), stderr: stderr.replaceAll(this.#root, "") }
  }

  /** Waits until a condition holds for the output. */
  until(holds: (written: Pick<Ended, "stdout" | "stderr">) => boolean): Promise<void> {
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
