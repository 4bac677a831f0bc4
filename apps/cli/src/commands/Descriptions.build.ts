/** The descriptions of all commands. `scripts/buildTimeValue.mjs` computes them when the program is bundled. */
import { allOperations } from "@blockquarry/core/Operations"
import type { CommandLineDescription, CommandSpec, OptionSpec } from "../args/CommandSpec.ts"
import {
  baseUrlOptions,
  connectionOptions,
  globalOptions,
  helpOption,
  informationOptions,
  outputOption
} from "../args/GlobalOptions.ts"
import { settings, variableOf } from "../config/Setting.ts"
import { recordFields } from "../list/RecordFields.ts"
import { loadCommands } from "./Commands.ts"

const fieldsOf = (id: string | null): ReadonlyArray<string> => {
  const operation = allOperations.find((operation) => operation.id === id)
  return operation === undefined ? [] : recordFields(operation).map(({ path }) => path.join("."))
}

const connectionNames: ReadonlySet<string> = new Set(connectionOptions.map(({ name }) => name))

/** Returns whether help and completions of a command list a shared option, which every command accepts. */
const concerns = ({ api, operation }: CommandSpec) => ({ name }: OptionSpec): boolean => {
  if (name === outputOption.name) return operation !== null
  const baseUrl = baseUrlOptions.find((option) => option.name === name)
  if (baseUrl !== undefined) return api === "any" || api === baseUrl.api
  return !connectionNames.has(name) || api !== null
}

const sharedOptionsOf = (command: CommandSpec): ReadonlyArray<string> => {
  const own = new Set(command.options.map(({ name }) => name))
  return [...globalOptions, helpOption].filter(concerns(command)).map(({ name }) => name)
    .filter((name) => !own.has(name))
}

/** In the order of the loaders. JSON omits the code of commands and checks. */
export const commandLine: CommandLineDescription = {
  commands: (await loadCommands()).map((command) => ({
    ...command,
    options: command.options.map((option) => ({ ...option, check: undefined })),
    sharedOptions: sharedOptionsOf(command),
    fields: fieldsOf(command.operation)
  })),
  globalOptions: globalOptions.map((option) => ({ ...option, check: undefined })),
  informationOptions,
  variables: settings.map(({ defaultValue, description, name }) => ({
    name: variableOf(name),
    description: defaultValue === null ? description : `${description} (default: ${defaultValue})`
  }))
}
