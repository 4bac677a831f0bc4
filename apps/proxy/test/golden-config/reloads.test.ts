/** Which changes of its configuration a running proxy takes today, which it rejects, and what it says of each. */
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Cases from "./cases.ts"
import { type Program, Workshop } from "./processes.ts"
import { block, heading, recordNames, recordPath, withoutPorts } from "./records.ts"

const workshop = new Workshop()

beforeAll(() => workshop.build(), 60_000)
afterAll(() => workshop.remove())

const folder = "/etc"

/** A file changes at once, as deployments change it. */
const write = (program: Program, name: string, content: string | null): void => {
  const path = program.at(`${folder}/${name}`)
  if (content === null) return rmSync(path)
  writeFileSync(`${path}.new`, content, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

interface Line {
  readonly level: string
  readonly message: string
}

const log = (text: string): ReadonlyArray<Line> =>
  text.split("\n").slice(0, -1).map((line) => {
    const { level, message }: Partial<Line> = JSON.parse(line)
    return { level: level ?? "", message: message ?? line }
  })

/** A change is over with a line that is no warning. */
const isOver = (lines: ReadonlyArray<Line>): boolean => lines.some(({ level }) => level !== "warning")

const nameOf = (title: string): string => `reload-${title.replaceAll(/\W+/g, "-")}`

const shown = ({ level, message }: Line): string => `${level}: ${message}`

it.each(Cases.reloads.map((reload) => [reload.title, reload] as const))(
  "decides %s as the record says",
  async (_, { changes, files, title }) => {
    const program = workshop.start({
      title,
      args: ["--config", `${folder}/${Cases.configName}`],
      env: {},
      files: new Map(
        [...files].map(([name, text]) => [
          `${folder}/${name}`,
          { bytes: new TextEncoder().encode(text), isFolder: false, mode: 0o600, shown: text }
        ])
      ),
      process: true,
      signal: "SIGINT"
    })
    await program.until(({ stderr }) => isOver(log(stderr)))
    const records = [
      [heading("at first"), ...[...files].map(([name, text]) => block(`file ${name}`, text))].join("")
    ]
    for (const change of changes) {
      const before = log(program.written.stderr).length
      for (const [name, content] of change.files) write(program, name, content)
      if (change.signal) program.signal("SIGHUP")
      const since = (stderr: string) => log(stderr).slice(before)
      await program.until(({ stderr }) => isOver(since(stderr)))
      records.push([
        heading(change.title),
        ...(change.signal ? ["SIGHUP\n"] : []),
        ...(change.merge === undefined ? [] : [block("settings over the first ones", change.merge)]),
        ...[...change.files].filter(([name]) => change.merge === undefined || name !== Cases.configName)
          .map(([name, content]) =>
            content === null ? `file ${name}: (removed)\n` : block(`file ${name}`, content)
          ),
        block("log", `${since(program.written.stderr).map(shown).join("\n")}\n`)
      ].join(""))
    }
    program.signal("SIGINT")
    expect((await program.ended()).code).toBe(0)
    await expect(withoutPorts(records.join("\n")))
      .toMatchFileSnapshot(recordPath(nameOf(title)))
  },
  120_000
)

it("every record has its cases", () => {
  const expected = new Set([
    ...[...Cases.check.keys()].map((group) => `check-${group}`),
    ...[...Cases.print.keys()].map((group) => `print-${group}`),
    ...[...Cases.commands.keys()].map((group) => `commands-${group}`),
    "serve-failures",
    "serve-starts",
    ...Cases.reloads.map(({ title }) => nameOf(title))
  ])
  expect(recordNames().filter((name) => !expected.has(name))).toEqual([])
})
