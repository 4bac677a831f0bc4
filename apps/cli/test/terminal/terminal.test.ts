/** The bundled program at real terminals, which `script` of util-linux creates. They report 0 columns and 0 rows. */
import { expect, it } from "@effect/vitest"
import { createServer } from "node:http"
import { exampleValues } from "../../src/help/Help.ts"
import { atTerminal, hasScript, shellProgram, type Variables } from "../support/process.ts"
import { listen } from "../support/server.ts"

/** Runs `quarry` at a terminal. Types Ctrl-C when the screen shows `interruptAt`. */
const runAtTerminal = (line: string, env: Variables = {}, interruptAt = "\0") =>
  atTerminal(
    `${shellProgram} ${line}`,
    { HOME: "/nonexistent", PAGER: "cat", ...env },
    { at: interruptAt, keys: "\u0003" }
  )

/** Starts a server, and returns the environment for it. The first response has status 503; others never come. */
const hangingServer = async (): Promise<Variables> => {
  let requests = 0
  const server = createServer((_request, response) => {
    if (requests++ === 0) response.writeHead(503, { "retry-after": "1" }).end("{}")
  })
  return { QUARRY_API_KEY: "an-example-api-key", QUARRY_BASE_URL: await listen(server) }
}

const price = `token price ${exampleValues.token}`

const eraseLine = "\r\u001b[K"

/** The lines that remain on the screen. */
const remaining = (screen: string): ReadonlyArray<string> =>
  screen.split("\n").map((line) => (line.split(eraseLine).at(-1) ?? "").replace(/\r$/, ""))

it.skipIf(!hasScript)("shows what it waits for, and erases that on Ctrl-C and before an error", async () => {
  const env = await hangingServer()
  const interrupted = await runAtTerminal(price, env, "retrying (")
  expect(interrupted.code).toBe(130)
  expect(interrupted.screen).toMatch(/retrying in 0\.\ds: 503 Service Unavailable|retrying \(.*503 Service/)
  expect(remaining(interrupted.screen).join("\n")).not.toContain("retrying")
  const failed = await runAtTerminal(`${price} --timeout 2s --color never`, await hangingServer())
  expect(failed).toMatchObject({ code: 7, screen: expect.stringContaining("503 Service Unavailable") })
  expect(remaining(failed.screen).filter((line) => line !== "").map((line) => line.split(":")[0])).toEqual([
    "error",
    "hint"
  ])
})
