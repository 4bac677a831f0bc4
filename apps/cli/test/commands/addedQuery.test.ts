/** `--query`: parameters that the description of an operation does not have. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { exampleLines, exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const env = sandboxEnvironment
const added = ["--query", "new=1", "--query", "extra[]=a b&c,d=", "--query", "extra[]=2 "]
const sentQuery = "new=1&extra%5B%5D=a%20b%26c%2Cd%3D&extra%5B%5D=2%20"
const transfers = ["wallet", "transfers", exampleValues.wallet]

/** The first example of each operation. */
const lines = commandLine.commands.filter(({ operation, path }) => operation !== null && path[0] !== "watch")
  .flatMap((command) => exampleLines(command).slice(0, 1))

it.live.each(lines)("is sent as it is written by %s", (line) =>
  Effect.gen(function*() {
    const argv = line.split(" ").slice(1)
    const { client, sent } = respondingWith("{}")
    yield* quarry([...argv, ...added], { client, env })
    const [{ url } = { url: "" }] = sent
    expect(url.replace("?", "&").endsWith(`&${sentQuery}`)).toBe(true)
    expect((yield* quarry([...argv, ...added, "--curl"], { client, env })).out).toContain(`'${url}'`)
  }))

it.live("rejects parameters that an operation has, misspellings of them and other words", () =>
  Effect.gen(function*() {
    for (
      const [word, message] of [
        ["limit=5", "--query: --limit sets this parameter, got \"limit=5\"\nhint: use --limit; "],
        ["from_blok=5", "--query: --from-block sets this parameter"],
        ["contract_addresses[0]=0x1", "--query: --contract-addresses sets this parameter"],
        ["adress=0x1", "--query: <address> sets this parameter"],
        ["verbose", "--query: expected name=value, got \"verbose\""],
        ["=1", "--query: expected name=value, got \"=1\""]
      ] as const
    ) {
      for (const more of [[], ["--curl"], ["--dry-run"]]) {
        const { client, sent } = respondingWith("{}")
        const ran = yield* quarry([...transfers, "--query", word, ...more], { client, env })
        expect([word, ran.code, ran.err, sent]).toEqual([word, 2, expect.stringContaining(message), []])
      }
    }
  }))
