/** The commands that `--curl` prints, run by a shell. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { formatCurl } from "../../src/diagnostics/Curl.ts"
import { exampleLines } from "../../src/help/Help.ts"
import { quarry } from "../support/quarry.ts"
import { serveSandbox } from "../support/server.ts"

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

/** The first example of each operation. */
const lines = commandLine.commands.filter(({ operation, path }) => operation !== null && path[0] !== "watch")
  .flatMap((command) => exampleLines(command).slice(0, 1))

it.live.each(lines)("sends the request of %s", (line) =>
  Effect.gen(function*() {
    const env = yield* serveSandbox
    const [, ...argv] = line.split(" ")
    const printed = yield* quarry([...argv, "--curl"], { env })
    expect(printed).toMatchObject({ code: 0, out: expect.stringMatching(/^curl .*\n$/) })
    expect(printed.out).not.toContain(Sandbox.apiKey)
    const sent = yield* Effect.promise(() => shell(`${printed.out.trim()} --silent --fail`, env))
    const raw = yield* quarry([...argv, "--raw"], { client: yield* HttpClient.HttpClient, env })
    // The last request of a stream, and a cursor with salt, change with every request
    const comparable = (text: string) =>
      text.trim().replace(/"(?:cursor|statusMessage|updatedAt)":"[^"]*"/g, "")
    expect(comparable(raw.out)).toBe(comparable(sent))
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

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
