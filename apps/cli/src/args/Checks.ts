/** Checks of the values of options and settings, and the parser of durations. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { closestMatch, didYouMean } from "./Suggest.ts"

/** What is wrong with a value, and what to do about it. */
export interface Problem {
  readonly message: string
  readonly hint: string | null
}

/** Returns what is wrong with a value; null if it is valid. */
export type Check = (value: string) => Problem | null

export const problem = (message: string, hint: string | null = null): Problem => ({ message, hint })

/** Makes a check. `hint` returns what to do about an invalid value; null to see the help of the command. */
export const expecting = (
  expected: string,
  accepts: (value: string) => boolean,
  hint: (value: string) => string | null = () => null
): Check =>
(value) => accepts(value) ? null : problem(`expected ${expected}, got ${JSON.stringify(value)}`, hint(value))

export const oneOf = (choices: ReadonlyArray<string>): Check =>
  expecting(
    `one of ${choices.join(", ")}`,
    (value) => choices.includes(value),
    (value) => didYouMean(closestMatch(value, choices))
  )

export const integerBetween = (
  min: number,
  max: number,
  hint?: (value: string) => string | null
): Check =>
  expecting(
    `an integer from ${min} to ${max}`,
    (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
    hint
  )

/** The units that `Duration` spells out, by their letters. */
export const unitNames: Readonly<Record<string, string>> = {
  ms: "millis",
  s: "seconds",
  m: "minutes",
  h: "hours",
  d: "days"
}

/** Longer timers overflow. */
const maxDuration = Duration.days(24)

/** Parses a positive number with a unit: ms, s, m, h or d. Returns null for invalid text. */
export const parseDuration = (text: string): Duration.Duration | null => {
  const [, number = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  return Duration.decodeUnknown(`${number} ${unitNames[unit]}`).pipe(
    Option.filter(Duration.between({ minimum: Duration.nanos(1n), maximum: maxDuration })),
    Option.getOrNull
  )
}

const durationForms = "a duration such as 500ms, 30s or 2m, at most 24d"

export const addUnit = (value: string): string | null =>
  /^[1-9]\d*$/.test(value) ? `add the unit, for example ${value}s` : null

export const duration: Check = expecting(durationForms, (value) => parseDuration(value) !== null, addUnit)

/** A duration, or `none`. */
export const durationOrNone: Check = expecting(
  `none or ${durationForms}`,
  (value) => value === "none" || parseDuration(value) !== null,
  (value) => /^0[a-z]*$/.test(value) ? "for no timeout, use none" : addUnit(value)
)

/** The name of a profile is also the name of a file. */
export const isProfileName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,39}$/.test(name)

export const profileNameForm = "a name of lower-case letters, digits, - and _, at most 40 characters"

export const profileName: Check = expecting(profileNameForm, isProfileName)

const urlExample = "for example https://api.example.com"

/** A base URL. Does not repeat the value, which may contain credentials. */
export const baseUrl: Check = (value) => {
  if (!URL.canParse(value)) return problem("not a URL; expected https://host/path", urlExample)
  const { hash, password, protocol, search, username } = new URL(value)
  if (protocol !== "http:" && protocol !== "https:") {
    return problem("expected an http or https URL", urlExample)
  }
  if (username !== "" || password !== "") {
    return problem("must not contain credentials", "store the API key with quarry auth login")
  }
  return search === "" && hash === ""
    ? null
    : problem("must not have a query string or fragment", urlExample)
}
