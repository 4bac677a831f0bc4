/** Runs cases as processes of the bundled program. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { distribution, Program } from "../support/Process.ts"
import type { Case } from "./cases.ts"
import { version } from "./records.ts"

/** A temporary directory with a copy of the bundled program, beside a manifest with a constant version. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "quarry-proxy-"))
  readonly #programs: Array<CaseProgram> = []

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
  start(input: Case, place: (text: string) => string = (text) => text, launch: Launch = {}): CaseProgram {
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
    const { launcher = [], nodeOptions = [] } = launch
    const words = [...launcher, process.execPath, ...nodeOptions, this.#program, ...args]
    const program = new CaseProgram(words, env, root)
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

export class CaseProgram extends Program {
  readonly #root: string

  constructor(words: ReadonlyArray<string>, env: Readonly<Record<string, string>>, root: string) {
    super(words, { env, cwd: root })
    this.#root = root
  }

  /** Returns the actual path of a path of the case. */
  at(path: string): string {
    return join(this.#root, path)
  }

  override get written() {
    const { stderr, stdout } = super.written
    return { stdout: stdout.replaceAll(this.#root, ""), stderr: stderr.replaceAll(this.#root, "") }
  }
}
