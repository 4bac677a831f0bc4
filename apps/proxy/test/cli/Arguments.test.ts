/** Errors of the command line. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Arguments from "../../src/cli/Arguments.ts"

const errorOf = (...args: ReadonlyArray<string>): string =>
  Effect.runSync(
    Effect.match(Arguments.parse(args), { onFailure: (message) => message, onSuccess: () => "no error" })
  )

it.each([
  [["--confg", "a.yaml"], "Unknown option '--confg'; did you mean --config?"],
  [["config", "check", "--Config=a.yaml"], "Unknown option '--Config'; did you mean --config?"],
  [["--anonymous"], "Unknown option '--anonymous'; did you mean --allow-anonymous?"],
  [["--allow-anonymus"], "Unknown option '--allow-anonymus'; did you mean --allow-anonymous?"],
  [["-x"], "Unknown option '-x'"],
  [
    ["token", "two words"],
    "token: expected a name of at most 64 letters, digits, dots, dashes and underscores, got \"two words\""
  ],
  [["--port"], "Option '-p, --port <value>' argument missing"]
])("%j is rejected: %s", (args, message) => expect(errorOf(...args)).toBe(message))

it("accepts options before and after commands, and values that are names of commands", () => {
  const parsed = (...args: ReadonlyArray<string>) => Effect.runSync(Arguments.parse(args))
  const expected = {
    command: { _tag: "CheckConfig", connect: true },
    optionValues: { QUARRY_PROXY_CONFIG: "config" }
  }
  expect(parsed("--config", "config", "config", "check", "--connect")).toMatchObject(expected)
  expect(parsed("--", "config", "--connect", "check", "-cconfig")).toMatchObject(expected)
  expect(parsed("-p0", "--sandbox")).toMatchObject({
    command: { _tag: "Serve" },
    optionValues: { QUARRY_PROXY_PORT: "0", QUARRY_SANDBOX: "1" }
  })
})
