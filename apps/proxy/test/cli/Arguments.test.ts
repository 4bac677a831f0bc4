/** Errors of the command line. */
import { expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Arguments from "../../src/cli/Arguments.ts"

const errorOf = (...args: ReadonlyArray<string>): string =>
  Either.match(Arguments.parse(args), { onLeft: (message) => message, onRight: () => "no error" })

it.each([
  [["--confg", "a.yaml"], "Unknown option '--confg'; did you mean --config?"],
  [["config", "check", "--Config=a.yaml"], "Unknown option '--Config'; did you mean --config?"],
  [["--anonymous"], "Unknown option '--anonymous'"],
  [["--allow-anonymus"], "Unknown option '--allow-anonymus'; did you mean --allow-anonymous?"],
  [["-x"], "Unknown option '-x'"],
  [
    ["token", "two words"],
    "token: expected a name of at most 64 letters, digits, dots, dashes and underscores, got \"two words\""
  ],
  [["--port"], "Option '-p, --port <value>' argument missing"]
])("%j is rejected: %s", (args, message) => expect(errorOf(...args)).toBe(message))
