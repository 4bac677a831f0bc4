/** Describes the settings: the names and values that configuration files, environment variables and options share. */
import { misspelledName } from "@blockquarry/core/Suggestion"
import { chainOf } from "../args/Chains.ts"
import { baseUrl, type Check, expecting, type Problem, problem } from "../args/Checks.ts"
import type { CommandOption } from "../args/CommandOption.ts"
import {
  colorOption,
  outputOption,
  profileOption,
  rateLimitOption,
  timeoutOption
} from "../args/GlobalOptions.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import { chainNames, chainSlugs } from "../text/CoreNames.build.ts"

/** Describes a setting. Its option and its environment variable have its name, except that some have no option. */
export interface Setting {
  readonly name: string
  readonly description: string
  /** The value that applies if the setting is set nowhere; null if there is none. */
  readonly defaultValue: string | null
  /** Describes a default that depends on the terminal or the environment. */
  readonly defaultNote?: string
  /** Returns the value that a text in an environment variable stands for, which has more spellings than in files. */
  readonly parseVariable?: (text: string) => string
  /** Returns what is wrong with a value, or null. Does not repeat a value that may contain a secret. */
  readonly check: Check
}

const booleanWords: ReadonlyMap<string, string> = new Map([
  ...["1", "yes", "on"].map((word) => [word, "true"] as const),
  ...["0", "no", "off"].map((word) => [word, "false"] as const)
])

const parseBoolean = (text: string): string => booleanWords.get(text.toLowerCase()) ?? text.toLowerCase()

const boolean = expecting(
  "true or false",
  (value) => value === "true" || value === "false",
  (value) => didYouMean(closestMatch(parseBoolean(value), ["true", "false"]))
)

const chain = expecting(
  "a chain name or ID",
  (value) =>
    !value.includes(",") &&
    (Object.hasOwn(chainNames, chainOf(value)) || misspelledName(chainOf(value), chainSlugs) === undefined),
  (value) => {
    const similar = misspelledName(value, chainSlugs)
    return similar === undefined
      ? "a setting has one chain; --chain takes several"
      : `did you mean ${similar}? Otherwise, set the chain to its chain ID`
  }
)

/** Makes a setting, by default without a default and with any value. */
const setting = (
  name: string,
  description: string,
  details: Partial<Omit<Setting, "name" | "description">> = {}
): Setting => ({
  name,
  description,
  defaultValue: null,
  check: () => null,
  ...details
})

const checkOf = ({ check = () => null }: CommandOption) => ({ check })

const flag = { defaultValue: "false", check: boolean, parseVariable: parseBoolean }

/** All settings, in the order of `quarry config list`. */
export const settings: ReadonlyArray<Setting> = [
  ...baseUrlOptions.map(({ description, name }) => setting(name, description, { check: baseUrl })),
  setting("api-key-command", "Command that prints the API key, for example of a password manager"),
  setting("profile", "Profile whose settings and API key apply", {
    ...checkOf(profileOption),
    defaultValue: "default"
  }),
  setting("chain", "Chain", { defaultValue: "eth", check: chain }),
  setting("output", "Output format", {
    ...checkOf(outputOption),
    defaultNote: "table on a terminal, ndjson otherwise"
  }),
  setting("rate-limit", "Local rate limit in units per time, or none", {
    ...checkOf(rateLimitOption),
    defaultValue: "100/s"
  }),
  setting("timeout", "Timeout of the whole command", { ...checkOf(timeoutOption), defaultValue: "none" }),
  setting("color", "Use of colors", { ...checkOf(colorOption), defaultValue: "auto" }),
  setting("pager", "Program that shows long output, or false for none", { defaultNote: "PAGER, or less" }),
  setting("utc", "Whether times are absolute", flag),
  setting("sandbox", "Whether commands use the built-in sandbox", flag)
]

const byName: ReadonlyMap<string, Setting> = new Map(settings.map((setting) => [setting.name, setting]))

export const findSetting = (name: string): Setting | undefined => byName.get(name)

/** Describes a name that is no setting. `otherNames` are names that are valid in its place. */
export const unknownSetting = (name: string, otherNames: ReadonlyArray<string> = []): Problem => {
  const names = [...byName.keys()]
  return problem(
    `unknown setting ${JSON.stringify(name)}`,
    didYouMean(closestMatch(name, [...names, ...otherNames])) ?? `known settings: ${names.join(", ")}`
  )
}

/** Returns the environment variable of a setting: `QUARRY_BASE_URL` for `base-url`. */
export const variableOf = (name: string): string => `QUARRY_${name.toUpperCase().replaceAll("-", "_")}`
