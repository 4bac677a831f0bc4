/**
 * The configuration of a command: options, environment variables, and the configuration file. Earlier ones take
 * precedence, and a profile takes precedence over the settings outside of profiles.
 */
import * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import { type ArgumentValues, singleValue } from "../args/ArgumentValues.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { ConfigFileError, UsageError } from "../errors/CommandError.ts"
import type { OutputFormat } from "../render/View.ts"
import { environmentVariable } from "../terminal/EnvironmentVariable.ts"
import * as AddressBook from "./AddressBook.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { userFile } from "./ConfigPaths.ts"
import { findSetting, settings, variableOf } from "./Setting.ts"

/** Where a value is set, and how messages name it: an option, a variable, or a line of a file. */
export interface Origin {
  readonly _tag: "Option" | "Environment" | "File" | "Default"
  readonly text: string
}

/** Returns a value that is set nowhere. */
export const byDefault = (value: string): ResolvedValue => ({
  value,
  origin: { _tag: "Default", text: "default" }
})

export interface ResolvedValue {
  readonly value: string
  readonly origin: Origin
}

export interface Configuration {
  readonly values: ReadonlyMap<string, ResolvedValue>
  readonly profile: string
  readonly profiles: ReadonlyArray<string>
  readonly addressBook: AddressBook.AddressBook
  /** Null without a home directory. */
  readonly file: string | null
  /** What is invalid in the file and environment variables. */
  readonly issues: ReadonlyArray<ConfigFile.ConfigIssue>
}

/** The profile of settings outside of profiles. */
export const defaultProfile = "default"

/** The error of a command that needs the directory of the user's files, which is unknown. */
export const missingHome = (file: string): ConfigFileError =>
  new ConfigFileError({
    file,
    reason: "there is no home directory",
    hint: "set HOME, or XDG_CONFIG_HOME, to an absolute path"
  })

export const requireUserFile = (
  { file }: Configuration
): Effect.Effect<string, ConfigFileError> => file === null ? missingHome("config.yaml") : Effect.succeed(file)

/** Resolves all settings. `options` are those of the command line. */
export const load = (options: ArgumentValues): Effect.Effect<Configuration> =>
  Effect.gen(function*() {
    const file = yield* userFile(process.platform, "config.yaml")
    const user = file === null ? null : yield* ConfigFile.read(file)
    const [invalidVariables, variables] = yield* readEnvironment
    const preferred = [fromOptions(options), new Map(variables)]
    const profile = resolve([...preferred, fromFile(user)]).get("profile")?.value ?? defaultProfile
    return {
      values: resolve([...preferred, fromFile(user, profile), fromFile(user)]),
      profile,
      profiles: [...new Set([defaultProfile, ...user?.profiles ?? []])],
      addressBook: AddressBook.make(
        new Map(valuesIn(user, "aliases").map(({ name, value }) => [name, (value ?? "").toLowerCase()]))
      ),
      file,
      issues: [...invalidVariables, ...user?.issues ?? []]
    }
  })

type Layer = ReadonlyMap<string, ResolvedValue>

/** Merges layers. The first one has precedence. */
const resolve = (layers: ReadonlyArray<Layer>): ReadonlyMap<string, ResolvedValue> =>
  new Map(layers.toReversed().flatMap((layer) => [...layer]))

/** Returns the settings that options set. The parser and the operations check them. An empty one counts as not set. */
const fromOptions = (options: ArgumentValues): Layer =>
  new Map([...options.keys()].flatMap((name) => {
    const value = singleValue(options, name) ?? ""
    return findSetting(name) === undefined || value === ""
      ? []
      : [[name, { value, origin: { _tag: "Option", text: `--${name}` } }] as const]
  }))

const valuesIn = (file: ConfigFile.ConfigFile | null, section: string) =>
  file?.values.filter((each) => each.section === section) ?? []

/** Returns the settings of a file that are outside of profiles, or those of a profile. */
const fromFile = (file: ConfigFile.ConfigFile | null, profile: string | null = null): Layer =>
  new Map(
    valuesIn(file, profile === null ? "" : `profiles.${profile}`).map(({ line, name, value }) => {
      const text = `${file?.file}:${line}${profile === null ? "" : ` (profile ${profile})`}`
      return [name, { value: value ?? "", origin: { _tag: "File", text } }]
    })
  )

/** Reads the environment variables of all settings. An empty one counts as not set, and an invalid one does not apply. */
const readEnvironment = Effect.map(
  Effect.forEach(settings, ({ check, name, parseVariable = identity }) => {
    const variable = variableOf(name)
    return Effect.map(environmentVariable(variable), (text) => {
      if (text === "") return []
      const value = parseVariable(text)
      const problem = check(value)
      const origin: Origin = { _tag: "Environment", text: variable }
      return [
        problem === null ? Either.right([name, { value, origin }] as const) : Either.left({
          file: variable,
          line: null,
          message: problem.message,
          hint: problem.hint ?? `correct ${variable} or unset it`
        })
      ]
    })
  }),
  (variables) => Arr.separate(variables.flat())
)

export const formatIssue = ({ file, line, message }: ConfigFile.ConfigIssue): string =>
  `${file}${line === null ? "" : `:${line}`}: ${message}`

export const requireValid = ({ issues }: Configuration): Effect.Effect<void, UsageError> => {
  const [issue] = issues
  return issue === undefined
    ? Effect.void
    : new UsageError({
      reason: formatIssue(issue),
      hint: issue.hint ?? "run quarry doctor to see all problems"
    })
}

/** The error of a profile that is neither in the user file nor has an API key. `origin` is where it is named. */
export const unknownProfile = (
  profile: string,
  { profiles }: Pick<Configuration, "profiles">,
  origin: Origin | null
): UsageError => {
  const suggestion = closestMatch(profile, profiles.filter((name) => name !== defaultProfile))
  return new UsageError({
    reason: `unknown profile ${JSON.stringify(profile)}${
      origin === null ? "" : ` (${origin.text})`
    }; known profiles: ${profiles.join(", ")}`,
    hint: didYouMean(suggestion) ?? `create it: quarry config set --profile ${profile} base-url <url>`
  })
}

/** Returns the value of a setting, or its default; null if it has none. */
export const effectiveValue = ({ values }: Configuration, name: string): ResolvedValue | null => {
  const set = values.get(name)
  if (set !== undefined) return set
  const value = findSetting(name)?.defaultValue ?? null
  return value === null ? null : byDefault(value)
}

/** Loads the profiles and aliases that completions list. Invalid files have none. */
export const loadNames = (): Promise<Pick<Configuration, "addressBook" | "profiles">> =>
  Effect.runPromise(load(new Map()))

export interface CommandSettings {
  readonly format: OutputFormat
  readonly isSandbox: boolean
  readonly isVerbose: boolean
  /** Whether the command reads whole lists or many inputs. */
  readonly sendsManyRequests: boolean
  /** Timeout of the whole command; null for the default timeouts of the client. A setting does not end long commands. */
  readonly timeout: Duration.Duration | null
  readonly configuration: Configuration
}
