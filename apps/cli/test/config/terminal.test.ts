/** `quarry auth login` at a real terminal: a pseudo terminal that `script` of util-linux creates. */
import { expect, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))

const hasScript = ((): boolean => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux")
  } catch {
    return false
  }
})()

interface Session {
  readonly code: number | null
  readonly screen: string
  readonly stored: string | null
}

/** Runs `quarry auth login`, and types when the prompt appears. */
const login = (typed: string): Promise<Session> => {
  const home = fs.mkdtempSync(join(tmpdir(), "quarry-login-"))
  const child = spawn(
    "script",
    [
      "--quiet",
      "--return",
      "--command",
      `'${process.execPath}' '${program}' auth login --no-verify`,
      "/dev/null"
    ],
    {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home, TERM: "xterm" },
      stdio: ["pipe", "pipe", "inherit"]
    }
  )
  let screen = ""
  child.stdout.on("data", (data: Buffer) => {
    const isPrompt = screen === ""
    screen += data.toString()
    if (isPrompt) child.stdin.write(typed)
  })
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const file = join(home, ".config/quarry/keys/default.key")
      const stored = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null
      fs.rmSync(home, { recursive: true })
      resolve({ code, screen, stored })
    })
  })
}

it.skipIf(!hasScript)("stores what is typed, and does not show it", async () => {
  const { code, screen, stored } = await login("secret-key-1234\r")
  expect([code, stored]).toEqual([0, "secret-key-1234\n"])
  expect(screen).toContain("Paste the API key; it is not shown")
  expect(screen).not.toContain("secret")
})

it.skipIf(!hasScript)(
  "ends with status 130 on Ctrl-C, and with an error at the end of the input",
  async () => {
    expect(await login("secret\u0003")).toMatchObject({ code: 130, stored: null })
    const ended = await login("\u0004")
    expect(ended).toMatchObject({
      code: 2,
      stored: null,
      screen: expect.stringContaining("no API key was entered")
    })
  }
)

/** Runs a shell command at a terminal of 100 columns and 40 rows. */
const atTerminal = (command: string): string =>
  execFileSync(
    "script",
    ["--quiet", "--return", "--command", `stty cols 100 rows 40; ${command}`, "/dev/null"],
    {
      env: {
        PATH: process.env["PATH"],
        HOME: "/nonexistent",
        TERM: "xterm",
        NO_COLOR: "1",
        PAGER: "sed s/^/paged:/"
      },
      encoding: "utf8",
      input: ""
    }
  )

it.skipIf(!hasScript)("shows help with the pager only on a terminal that is too small for it", () => {
  const quarry = `'${process.execPath}' '${program}'`
  expect(atTerminal(`${quarry} --help`)).toContain("paged:Usage")
  expect(atTerminal(`QUARRY_PAGER='sed s/^/own:/' ${quarry} wallet transfers --help`)).toContain("own:Usage")
  expect(atTerminal(`${quarry} --help --no-pager`)).not.toContain("paged:")
  expect(atTerminal(`${quarry} --help | cat`)).not.toContain("paged:")
  expect(atTerminal(`${quarry} doctor --help`)).not.toContain("paged:")
})
