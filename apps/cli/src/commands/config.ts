/** `quarry config get|set|unset|list|path` */
import * as Effect from "effect/Effect"
import { looksLikeApiKey } from "../args/ApiKeyName.ts"
import { isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { commandArgument, type CommandOption, switchOption } from "../args/CommandOption.ts"
import { outputOption, profileOption, requestOptions } from "../args/GlobalOptions.ts"
import { hasStoredKey, requireProfile } from "../config/ApiKey.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import {
  byDefault,
  type CommandSettings,
  type Configuration,
  defaultProfile,
  effectiveValue,
  formatIssue,
  requireUserFile,
  type ResolvedValue,
  unknownProfile
} from "../config/Configuration.ts"
import { findSetting, type Setting, settings, unknownSetting } from "../config/Setting.ts"
import { NotSetError, UsageError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import { note, print } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"
import { localCommand } from "./LocalCommand.ts"

const names = settings.map(({ name }) => name)

const settingArgument = commandArgument("setting", "Name of the setting", { choices: names })

/** The options that set settings for one command, and so take part in what applies. */
const settingOptions: ReadonlyArray<CommandOption> = [outputOption, ...requestOptions("any")]

const requireSetting = (name: string): Effect.Effect<Setting, UsageError> => {
  const setting = findSetting(name)
  if (setting !== undefined) return Effect.succeed(setting)
  const { hint, message } = unknownSetting(name)
  return new UsageError({ reason: message, hint })
}

const printIssues = ({ issues }: Configuration) =>
  Effect.forEach(issues, (issue) => note(sanitize(`warning: ${formatIssue(issue)}`)))

const selectsProfile = ({ values }: Configuration): boolean => {
  const origin = values.get("profile")?.origin._tag
  return origin === "Option" || origin === "Environment"
}

/** Fails if the command reads an unknown profile. That of a file is only a warning, so that the command shows it. */
const checkProfile = (configuration: Configuration) =>
  Effect.catchAll(
    requireProfile(configuration),
    (error) => selectsProfile(configuration) ? error : note(sanitize(`warning: ${error.reason}`))
  )

/** Returns the value that applies. The default of the output depends on the terminal. */
const valueInUse = ({ configuration, format }: CommandSettings, name: string): ResolvedValue | null =>
  effectiveValue(configuration, name) ?? (name === "output" ? byDefault(format) : null)

export const configGet = localCommand({
  path: ["config", "get"],
  summary: "Print the value of a setting",
  allowsInvalidConfiguration: true,
  arguments: [settingArgument],
  options: settingOptions,
  examples: ["chain", "output --profile work"],
  run: Effect.fnUntraced(function*({ settings, values }) {
    const { name } = yield* requireSetting(singleValue(values, "setting") ?? "")
    yield* printIssues(settings.configuration)
    yield* checkProfile(settings.configuration)
    const resolved = valueInUse(settings, name)
    if (resolved === null) {
      return yield* new NotSetError({
        reason: `${name} is not set`,
        hint: `set it: quarry config set ${name} <value>`
      })
    }
    yield* print(`${sanitize(resolved.value)}\n`)
  })
})

/** Returns where `config set` and `config unset` write: to a profile if the command line or the environment selects it. */
const targetOf = (configuration: Configuration, name: string) => {
  const { profile } = configuration
  const isInProfile = selectsProfile(configuration) && name !== "profile" && profile !== defaultProfile
  return Effect.map(requireUserFile(configuration), (file) => ({
    file,
    isInProfile,
    path: isInProfile ? ["profiles", profile, name] as const : [name] as const,
    label: isInProfile ? `${file} (profile ${profile})` : file
  }))
}

export const configSet = localCommand({
  path: ["config", "set"],
  summary: "Set a setting in the configuration file",
  allowsInvalidConfiguration: true,
  note: "With --profile, the setting applies to that profile only. Comments in the file are kept.",
  arguments: [
    settingArgument,
    commandArgument("value", "Value, as for the option", { completes: "setting" })
  ],
  options: [profileOption],
  examples: ["chain polygon", "base-url https://api.example.com --profile work"],
  run: Effect.fnUntraced(function*({ settings: { configuration }, values }) {
    const name = singleValue(values, "setting") ?? ""
    const value = singleValue(values, "value") ?? ""
    const target = yield* targetOf(configuration, name)
    const problem = ConfigFile.nameProblem(name, target.isInProfile)
    if (problem !== null) {
      return yield* new UsageError({
        reason: problem.message,
        hint: looksLikeApiKey(name)
          ? "store it with quarry auth login; what you typed may be in the shell history"
          : problem.hint
      })
    }
    if (value === "") {
      return yield* new UsageError({
        reason: `${name}: the value is empty`,
        hint: `remove the setting: quarry config unset ${name}`
      })
    }
    const invalid = findSetting(name)?.check(value) ?? null
    if (invalid !== null) {
      return yield* new UsageError({ reason: `${name}: ${invalid.message}`, hint: invalid.hint })
    }
    if (name === "profile" && !configuration.profiles.includes(value) && !(yield* hasStoredKey(value))) {
      return yield* unknownProfile(value, configuration, null)
    }
    yield* ConfigFile.setValue(target.file, target.path, value)
    yield* printIssues(configuration)
    yield* note(sanitize(`set ${name} to ${value} in ${target.label}`))
  })
})

export const configUnset = localCommand({
  path: ["config", "unset"],
  summary: "Remove a setting from the configuration file",
  allowsInvalidConfiguration: true,
  note: "Also removes a line with an unknown name.",
  arguments: [settingArgument],
  options: [profileOption],
  examples: ["chain", "base-url --profile work"],
  run: Effect.fnUntraced(function*({ settings: { configuration }, values }) {
    const name = singleValue(values, "setting") ?? ""
    const target = yield* targetOf(configuration, name)
    if (name === "profiles" || name === "aliases") yield* requireSetting(name)
    const wasSet = yield* ConfigFile.removeValue(target.file, target.path)
    if (!wasSet) yield* requireSetting(name)
    yield* note(sanitize(
      wasSet
        ? `removed ${name} from ${target.label}`
        : `${name} is not set in ${target.label}`
    ))
  })
})

const showOriginOption = switchOption(
  "show-origin",
  "Show where each value is set: an option, a variable, or a line of a file"
)

export const configList = localCommand({
  path: ["config", "list"],
  summary: "List all settings with the values that apply",
  allowsInvalidConfiguration: true,
  note: "Precedence: options, environment variables, profile, file outside of profiles, defaults.",
  options: [showOriginOption, ...settingOptions],
  examples: ["", "--show-origin", "--profile work -o json"],
  run: Effect.fnUntraced(function*({ settings, values }) {
    yield* printIssues(settings.configuration)
    yield* checkProfile(settings.configuration)
    const rows = names.map((setting) => {
      const resolved = valueInUse(settings, setting)
      return { setting, value: resolved?.value ?? null, origin: resolved?.origin.text ?? "not set" }
    })
    yield* printRows(settings.format, rows, {
      setting: {},
      value: {},
      ...isEnabled(values, showOriginOption.name) ? { origin: {} } : {}
    })
  })
})

export const configPath = localCommand({
  path: ["config", "path"],
  summary: "Print the path of the configuration file",
  allowsInvalidConfiguration: true,
  run: Effect.fnUntraced(function*({ settings: { configuration } }) {
    yield* print(`${yield* requireUserFile(configuration)}\n`)
  })
})
