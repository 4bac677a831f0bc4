import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { singleValue } from "../args/ArgumentValues.ts"
import { commandArgument, textOption } from "../args/CommandOption.ts"
import { nextWords, resolvePath, suggestPath } from "../args/CommandTree.ts"
import { UsageError } from "../errors/CommandError.ts"
import { attempt, makeDirectory } from "../files/Files.ts"
import { allPages, commandPage } from "../help/ManPages.ts"
import { CommandDescriptions } from "../invocation/CommandSpec.ts"
import { note, print } from "../terminal/Terminal.ts"
import { localCommand } from "./LocalCommand.ts"

export const man = localCommand({
  path: ["man"],
  summary: "Print or write manual pages",
  note:
    "Prints the page of quarry or of one command, for man -l -, or writes all pages to a directory. The directory " +
    "~/.local/share/man/man1 makes man quarry work.",
  arguments: [
    commandArgument("command", "The words of a command, for example wallet transfers", {
      isRepeatable: true,
      completes: "command"
    })
  ],
  options: [
    textOption("to", "directory", "Write all pages to this directory, and create it if it does not exist", {
      completes: "directory"
    })
  ],
  allowsInvalidConfiguration: true,
  examples: ["", "wallet transfers", "--to man1"],
  run: Effect.fnUntraced(function*({ values }) {
    const commandLine = yield* CommandDescriptions
    const pages = allPages(commandLine)
    const directory = singleValue(values, "to")
    if (directory !== undefined) {
      yield* attempt("write", directory, async () => makeDirectory(directory))
      for (const { file, text } of pages) {
        const path = join(directory, file)
        yield* attempt("write", path, () => writeFile(path, text))
      }
      return yield* note(`wrote ${pages.length} pages to ${directory}`)
    }
    const words = values.get("command") ?? []
    if (words.length === 0) return yield* print(pages[0]?.text ?? "")
    const resolved = resolvePath(commandLine.commands, words)
    if (resolved.command !== null && resolved.rest.length === 0) {
      return yield* print(commandPage(commandLine, resolved.command).text)
    }
    const suggestion = suggestPath(commandLine.commands, resolved)
    return yield* new UsageError({
      reason: `unknown command ${JSON.stringify(words.join(" "))}`,
      hint: suggestion === undefined
        ? `available commands: ${nextWords(commandLine.commands, resolved.path).join(", ")}`
        : `did you mean quarry man ${suggestion.join(" ")}?`
    })
  })
})
