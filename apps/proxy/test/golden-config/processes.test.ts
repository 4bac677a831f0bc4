/** Records of startup and shutdown, and of reloads: what a running proxy logs after each change of `cases.yaml`. */
import { once } from "node:events"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import * as Cases from "./cases.ts"
import { type CaseProgram, Workshop } from "./processes.ts"
import {
  heading,
  record,
  recordNames,
  recordPath,
  withoutPorts,
  withoutTimes,
  withoutTokens
} from "./records.ts"

const workshop = new Workshop()

afterAll(() => workshop.remove())

/** The last line of the startup banner. */
const up = /Ctrl-C/

const occupied = async (): Promise<{ readonly port: number; readonly close: () => void }> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => void server.close()
  }
}

describe("serve", () => {
  it("matches the record if it cannot start", async () => {
    const { close, port } = await occupied()
    const records: Array<string> = []
    for (const each of Cases.failures) {
      const program = workshop.start(each, (text) => text.replaceAll("{port}", String(port)))
      records.push(record(each, await program.ended()))
    }
    close()
    await expect(withoutTimes(records.join("\n").replaceAll(new RegExp(`\\b${port}\\b`, "g"), "{port}")))
      .toMatchFileSnapshot(recordPath("serve-failures"))
  })

  it("matches the record when it starts and stops", async () => {
    const records: Array<string> = []
    for (const each of Cases.starts) {
      const program = workshop.start(each)
      await program.until(({ stderr, stdout }) => up.test(stdout) && stderr.includes("listening"))
      program.signal(each.signal)
      records.push(record(each, await program.ended()))
    }
    await expect(withoutTimes(withoutPorts(withoutTokens(records.join("\n"))))).toMatchFileSnapshot(
      recordPath("serve-starts")
    )
  })
})

const folder = "/etc"

/** Replaces a file atomically, like deployments do. */
const write = (program: CaseProgram, name: string, content: string | null): void => {
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

/** The startup ends with the first of these log lines, a reload with the second. */
const isOver = (lines: ReadonlyArray<Line>): boolean =>
  lines.some(({ message }) => /^(listening on|configuration re)/.test(message))

const nameOf = (title: string): string => `reload-${title.replaceAll(/\W+/g, "-")}`

const shown = ({ level, message }: Line): string => `${level}: ${message}\n`

// They wait most of the time
it.concurrent.for(Cases.reloads)(
  "matches the record: $title",
  async ({ changes, files, title }, { expect }) => {
    const program = workshop.start({
      title,
      args: ["--config", `${folder}/${Cases.configName}`],
      env: {},
      files: Object.fromEntries([...files].map(([name, text]) => [`${folder}/${name}`, text])),
      signal: "SIGINT"
    })
    await program.until(({ stderr }) => isOver(log(stderr)))
    const records: Array<string> = []
    for (const change of changes) {
      const before = log(program.written.stderr).length
      for (const [name, content] of change.files) write(program, name, content)
      if (change.signal) program.signal("SIGHUP")
      const since = (stderr: string) => log(stderr).slice(before)
      await program.until(({ stderr }) => isOver(since(stderr)))
      records.push(heading(change.title) + since(program.written.stderr).map(shown).join(""))
    }
    program.signal("SIGINT")
    expect((await program.ended()).code).toBe(0)
    await expect(withoutPorts(records.join("\n")))
      .toMatchFileSnapshot(recordPath(nameOf(title)))
  }
)

it("every record belongs to a case", () => {
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
