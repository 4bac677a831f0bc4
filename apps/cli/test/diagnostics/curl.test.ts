/** The commands that `--curl` prints, run by a shell. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { formatCurl } from "../../src/diagnostics/Curl.ts"
import { exampleLines } from "../../src/help/Help.ts"
import { quarry } from "../support/quarry.ts"
import { serveSandbox } from "../support/server.ts"
import { respondingWith } from "../support/stubClient.ts"

/** Runs a line in a shell. */
const shell = (line: string, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(
      "/bin/sh",
      ["-c", line],
      { env: { PATH: process.env["PATH"], ...env } },
      (error, stdout) => error === null ? resolve(stdout) : reject(error)
    )
  })

const added = ["--query", "new=1", "--query", "extra[]=a b&c,d=", "--query", "extra[]=2 "]
const sentQuery = "new=1&extra%5B%5D=a%20b%26c%2Cd%3D&extra%5B%5D=2%20"

/** The first example of each operation. */
const lines = commandLine.commands.filter(({ operation, path }) => operation !== null && path[0] !== "watch")
  .flatMap((command) => exampleLines(command).slice(0, 1))

it.live.each(lines)(
  "sends the request of %s, with the parameters of --query as they are written",
  (line) =>
    Effect.gen(function*() {
      const env = yield* serveSandbox
      const argv = [...line.split(" ").slice(1), ...added]
      const printed = yield* quarry([...argv, "--curl"], { env })
      expect(printed).toMatchObject({ code: 0, out: expect.stringMatching(/^curl .*\n$/) })
      expect(printed.out).not.toContain(Sandbox.apiKey)
      yield* Effect.promise(() => shell(`${printed.out.trim()} --silent --fail`, env))
      const { client, sent } = respondingWith("{}")
      yield* quarry(argv, { client, env })
      const [{ body = null, method = "GET", url = "" } = {}] = sent
      expect(url.replace("?", "&").endsWith(`&${sentQuery}`)).toBe(true)
      expect(printed.out.trim()).toBe(
        formatCurl({ method: method === "POST" ? method : "GET", path: "", query: [], body }, url)
      )
    }).pipe(Effect.scoped)
)

it("quotes what a shell would interpret", async () => {
  const body = JSON.stringify({ text: "it's $HOME `id` \"x\" \\ !" })
  const line = formatCurl({ method: "POST", path: "", query: [], body }, "http://a.test/$(id)?a='b'&c")
  const words = await shell(line.replace(/^curl/, "printf '%s\\n'"), { QUARRY_API_KEY: "the key" })
  expect(words.split("\n")).toEqual([
    "--request",
    "POST",
    "http://a.test/$(id)?a='b'&c",
    "--header",
    "x-api-key: the key",
    "--header",
    "accept: application/json",
    "--header",
    "content-type: application/json",
    "--data",
    body,
    ""
  ])
})
