/** `--query`: parameters that the description of an operation does not have. How they are sent is in `curl.test.ts`. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const env = sandboxEnvironment
const transfers = ["wallet", "transfers", exampleValues.wallet]

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
