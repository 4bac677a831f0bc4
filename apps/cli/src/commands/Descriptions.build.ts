/** The descriptions of all commands. `scripts/buildTimeValue.mjs` computes them when the program is bundled. */
import { allOperations } from "@blockquarry/core/Operations"
import type { CommandLineDescription } from "../args/CommandDescription.ts"
import { switchOption } from "../args/CommandOption.ts"
import { globalOptions } from "../args/GlobalOptions.ts"
import { settings, variableOf } from "../config/Setting.ts"
import { recordFields } from "../formats/RecordFields.ts"
import { loadCommands } from "./Commands.ts"

const fieldsOf = (id: string | null): ReadonlyArray<string> => {
  const operation = allOperations.find((operation) => operation.id === id)
  return operation === undefined ? [] : recordFields(operation).map(({ path }) => path.join("."))
}

/** Options that replace the execution of a command. They are not parsed, but only read. */
const informationOptions = [
  switchOption("help", "Show help; --help all lists all options", {
    alias: "h",
    group: "global",
    choices: ["all"],
    isCommon: true
  }),
  switchOption("version", "Show the version", { alias: "V", group: "global" })
]

/** JSON omits the functions of commands and options. */
export const commandLine: CommandLineDescription = {
  commands: (await loadCommands()).map((command) => ({ ...command, fields: fieldsOf(command.operation) })),
  globalOptions,
  informationOptions,
  variables: settings.map(({ defaultValue, defaultNote = defaultValue, description, name }) => ({
    name: variableOf(name),
    description: defaultNote === null ? description : `${description} (default: ${defaultNote})`
  }))
}
