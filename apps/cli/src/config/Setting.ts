/** Describes the settings: the names and values that configuration files, environment variables and options share. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Either from "effect/Either"
import { baseUrlOptions } from "../args/GlobalOptions.ts"
import { duration, oneOf, profileName } from "../args/ValueCheck.ts"
import { chainNames } from "../CoreNames.build.ts"
import { outputFormats } from "../render/OutputFormat.ts"
import { colorModes } from "../StreamInfo.ts"

/** Describes a setting. Its option and its environment variable have its name, except that some have no option. */
export interface Setting {
  readonly name: string
  readonly description: string
  /** What applies if the setting is set nowhere; null if it is required when a command uses it, or has no value. */
  readonly defaultValue: string | null
  /** Returns what is wrong with a value, or null. Does not repeat a value that may contain a secret. */
  readonly check: (value: string) => string | null
  /**
   * Whether a project file may set it. Not if it determines where the API key is sent or which programs run, because a
   * project may come from an untrusted source.
   */
  readonly isSafeInProject: boolean
}

const checking = (
  { accepts, expected }: { readonly accepts: (value: string) => boolean; readonly expected: string }
): Setting["check"] =>
(value) => accepts(value) ? null : `expected ${expected}, got ${JSON.stringify(value)}`

const boolean = checking({ ...oneOf(["true", "false"]), expected: "true or false" })

const checkUrl = (value: string): string | null => {
  if (!URL.canParse(value)) return "not a URL; expected https://host/path"
  const { hash, password, protocol, search, username } = new URL(value)
  if (protocol !== "http:" && protocol !== "https:") return "expected an http or https URL"
  if (username !== "" || password !== "") {
    return "must not contain credentials; store the API key with quarry auth login"
  }
  return search === "" && hash === "" ? null : "must not have a query string or fragment"
}

const checkRateLimit = (value: string): string | null =>
  Either.match(RateLimit.parse(value), { onLeft: (reason) => reason, onRight: () => null })

const chainSlugs = chainNames.map((name) => name.replaceAll(" ", "-"))

const preference = (
  name: string,
  description: string,
  defaultValue: string | null,
  check: Setting["check"]
): Setting => ({ name, description, defaultValue, check, isSafeInProject: true })

/** All settings, in the order of `quarry config list`. */
export const settings: ReadonlyArray<Setting> = [
  ...baseUrlOptions.map(({ description, name }) => ({
    name,
    description,
    defaultValue: null,
    check: checkUrl,
    isSafeInProject: false
  })),
  {
    name: "api-key-command",
    description: "Command that prints the API key, for example of a password manager",
    defaultValue: null,
    check: () => null,
    isSafeInProject: false
  },
  preference("profile", "Profile whose settings and API key apply", "default", checking(profileName)),
  preference("chain", "Chain", "eth", checking(oneOf(chainSlugs))),
  preference(
    "output",
    "Output format",
    "table on a terminal, ndjson otherwise",
    checking(oneOf(outputFormats))
  ),
  preference("rate-limit", "Local rate limit in units per time, or none", "100/s", checkRateLimit),
  preference("timeout", "Timeout of the whole command", "none", checking(duration)),
  preference("color", "Use of colors", "auto", checking(oneOf(colorModes))),
  {
    name: "pager",
    description: "Program that shows long output, or false for none",
    defaultValue: "PAGER, or less",
    check: () => null,
    isSafeInProject: false
  },
  preference("utc", "Whether times are absolute", "false", boolean),
  preference("sandbox", "Whether commands use the built-in sandbox", "false", boolean)
]

const byName: ReadonlyMap<string, Setting> = new Map(settings.map((setting) => [setting.name, setting]))

/** Returns whether the values of a setting are `true` and `false`. */
export const isSwitch = (name: string): boolean => byName.get(name)?.check === boolean

export const findSetting = (name: string): Setting | undefined => byName.get(name)

/** Returns the environment variable of a setting: `QUARRY_BASE_URL` for `base-url`. */
export const variableOf = (name: string): string => `QUARRY_${name.toUpperCase().replaceAll("-", "_")}`
