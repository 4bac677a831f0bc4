import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { commandArgument } from "../args/CommandOption.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { completionScripts, isShell, shells } from "../completion/Scripts.ts"
import { UsageError } from "../errors/CommandError.ts"
import { print } from "../terminal/Terminal.ts"
import { localCommand } from "./LocalCommand.ts"

export const completions = localCommand({
  path: ["completions"],
  summary: "Print a shell completion script",
  note:
    "The script begins with instructions to install it. It completes commands, options, chains, fields, profiles and " +
    "aliases, and asks quarry for them, so that it never has to be updated.",
  arguments: [commandArgument("shell", "Name of the shell", { choices: shells })],
  allowsInvalidConfiguration: true,
  examples: ["bash", "zsh", "fish", "powershell"],
  run: Effect.fnUntraced(function*({ values }) {
    const shell = singleValue(values, "shell") ?? ""
    if (isShell(shell)) return yield* print(completionScripts[shell])
    return yield* new UsageError({
      reason: `<shell>: expected one of ${shells.join(", ")}, got ${JSON.stringify(shell)}`,
      hint: didYouMean(closestMatch(shell, shells))
    })
  })
})
