/** The descriptions of all commands. `scripts/buildTimeValue.mjs` computes them when the program is bundled. */
import { allOperations } from "@blockquarry/core/Operations"
import type { CommandLineDescription, OptionDescription, OptionSpec } from "../args/CommandDescription.ts"
import { globalOptions, informationOptions } from "../args/GlobalOptions.ts"
import { settings, variableOf } from "../config/Setting.ts"
import { recordFields } from "../formats/RecordFields.ts"
import { loadCommands } from "./Commands.ts"

const fieldsOf = (id: string | null): ReadonlyArray<string> => {
  const operation = allOperations.find((operation) => operation.id === id)
  return operation === undefined ? [] : recordFields(operation).map(({ path }) => path.join("."))
}

const toDescription = (
  { check, conflictsWith: _conflictsWith, ...option }: OptionSpec
): OptionDescription => ({
  ...option,
  range: check?.range
})

/** In the order of the loaders. JSON omits the code of commands. */
export const commandLine: CommandLineDescription = {
  commands: (await loadCommands()).map((command) => ({
    ...command,
    options: command.options.map(toDescription),
    fields: fieldsOf(command.operation)
  })),
  globalOptions: globalOptions.map(toDescription),
  informationOptions,
  variables: settings.map(({ defaultValue, defaultNote = defaultValue, description, name }) => ({
    name: variableOf(name),
    description: defaultNote === null ? description : `${description} (default: ${defaultNote})`
  }))
}
