/** The program that is shipped, as processes. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Case } from "./cases.ts"
import type { Ended } from "./records.ts"

/** A folder for a file of tests, and the program in it. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "quarry-proxy-"))
  readonly #programs: Array<Program> = []

  get #program(): string {
    return join(this.folder, "dist/quarry-proxy.js")
  }

  /** Bundles the program, beside a manifest whose version stays the same. */
  build(): Promise<void> {
    const root = fileURLToPath(new URL("../../", import.meta.url))
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ type: "module", version: "1.2.3" }))
    return new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        ["../../scripts/bundle.mjs", "src/main.ts", this.#program],
        { cwd: root },
        (error) => error === null ? resolve() : reject(error)
      )
    })
  }

  /** Ends what still runs, and removes the folder. */
  remove(): void {
    for (const program of this.#programs) program.signal("SIGKILL")
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Starts a case, with its files under a root of their own. `place` is what else its texts are to have replaced. */
  start(input: Case, place: (text: string) => string = (text) => text): Program {
    const root = join(this.folder, `root-${this.#programs.length}`)
    const paths = [...input.files.keys()].toSorted((a, b) => b.length - a.length)
    const folders = [...new Set([...paths.map(dirname), "/etc"])]
    const placed = (text: string): string =>
      place(text).replaceAll(
        new RegExp(`(?<![\\w.-])(?:${folders.join("|")})/`, "g"),
        (folder) => `${root}${folder}`
      )
    mkdirSync(join(root, "etc"), { recursive: true })
    for (const [path, { bytes, isFolder, mode }] of input.files) {
      const at = join(root, path)
      mkdirSync(isFolder ? at : dirname(at), { recursive: true })
      if (isFolder || bytes === null) continue
      writeFileSync(at, placed(new TextDecoder().decode(bytes)))
      chmodSync(at, mode)
    }
    const args = input.args.map(placed)
    const env = Object.fromEntries(Object.entries(input.env).map(([name, value]) => [name, placed(value)]))
    const program = new Program(this.#program, args, env, root)
    this.#programs.push(program)
    return program
  }
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
    root: string
  ) {
    this.#root = root
    this.#child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env["PATH"], ...env },
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#child.stdout.on("data", (text: Buffer) => void (this.#written.stdout += text.toString()))
    this.#child.stderr.on("data", (text: Buffer) => void (this.#written.stderr += text.toString()))
    this.#closed = once(this.#child, "close")
  }

  /** Where a path of the case is in truth. */
  at(path: string): string {
    return join(this.#root, path)
  }

  /** What was written so far. */
  get written(): Pick<Ended, "stdout" | "stderr"> {
    const { stderr, stdout } = this.#written
    return { stdout: stdout.replaceAll(this.#root, ""), stderr: stderr.replaceAll(this.#root, "") }
  }

  /** Waits until what was written is as wanted. */
  until(holds: (written: Pick<Ended, "stdout" | "stderr">) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => holds(this.written) ? end(resolve) : undefined
      const gone = () => end(() => reject(new Error(`it ended: ${JSON.stringify(this.written)}`)))
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

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Waits for the end. */
  async ended(): Promise<Ended> {
    await this.#closed
    return { code: this.#child.exitCode, ...this.written }
  }
}
