import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { singleValue } from "../args/ArgumentValues.ts"
import { commandArgument, textOption } from "../args/CommandOption.ts"
import { nextWords } from "../args/CommandTree.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { UsageError } from "../errors/CommandError.ts"
import { attempt, makeDirectory } from "../files/Files.ts"
import { allPages } from "../help/ManPages.ts"
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
    const all = yield* CommandDescriptions
    const pages = allPages(all)
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
    const name = ["quarry", ...words].join("-")
    const page = pages.find(({ file }) => file === `${name}.1`)
    if (page !== undefined) return yield* print(page.text)
    const next = nextWords(all.commands, words)
    const similar = closestMatch(words.join(" "), all.commands.map(({ path }) => path.join(" ")))
    return yield* new UsageError({
      reason: `there is no page ${name}`,
      hint: next.length > 0
        ? `available commands: ${next.join(", ")}`
        : didYouMean(similar && `quarry man ${similar}`)
    })
  })
})
