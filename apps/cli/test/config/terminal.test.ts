/** `quarry auth login` at a real terminal: a pseudo terminal that `script` of util-linux creates. */
import { expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../support/exports.ts"
import { atTerminal, hasScript, shellProgram } from "../support/process.ts"

/** Runs `quarry auth login`, and types when the prompt appears. */
const login = async (keys: string) => {
  const home = temporaryFolder()
  const session = await atTerminal(`${shellProgram} auth login --no-verify`, { HOME: home }, {
    at: "Paste",
    keys
  })
  const file = join(home, ".config/quarry/keys/default.key")
  return { ...session, stored: fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null }
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
