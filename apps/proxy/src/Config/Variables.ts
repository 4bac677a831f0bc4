/** The variables and options that stand for settings, and how each is read. */
import { addresses } from "../Addresses.ts"
import { addressNames } from "./Config.ts"
import { isLink } from "./Links.ts"
import { type Path, text } from "./Path.ts"
import type { Place } from "./Problem.ts"

/** Values by the names of variables. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The environment, and the options of the command line by the names of the variables that they stand for. */
export interface Sources {
  readonly given: Variables
  readonly env: Variables
}

/** The variables that are the proxy's alone. Those of the service are named as for the library. */
export const own = {
  config: "QUARRY_PROXY_CONFIG",
  host: "QUARRY_PROXY_HOST",
  port: "QUARRY_PROXY_PORT",
  operations: "QUARRY_PROXY_OPERATIONS",
  openToEveryone: "QUARRY_PROXY_OPEN_TO_EVERYONE",
  sandbox: "QUARRY_SANDBOX",
  redis: "QUARRY_REDIS_URL"
} as const

/** The options of the command line that stand for variables. */
export const options = {
  [own.config]: "--config",
  [own.host]: "--host",
  [own.port]: "--port",
  [own.operations]: "--operations",
  [own.openToEveryone]: "--open-to-everyone",
  [own.sandbox]: "--sandbox"
} as const satisfies Variables

/** A variable that stands for a setting. */
export interface Variable {
  readonly name: string
  readonly path: Path
  /** As it would be written in the document. What cannot be read stays text, for the document's schema to refuse. */
  readonly written: (text: string) => unknown
  /** Where the document expects something else than the variable. */
  readonly expected?: string
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const)
])

const flag = (name: string, path: Path): Variable => ({
  name,
  path,
  written: (text) => flags.get(text.toLowerCase()) ?? text,
  expected: "expected 1 or 0"
})

const port = (text: string): unknown => /^\d{1,9}$/.test(text) ? Number(text) : text

const hostAndPort = (text: string): unknown => {
  const [, host, digits] =
    /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,9})$/.exec(text)?.filter((part) => part !== undefined) ?? []
  return host === undefined || digits === undefined ? text : { host, port: Number(digits) }
}

export const variables: ReadonlyArray<Variable> = [
  { name: own.host, path: ["listen", "host"], written: (text) => text },
  { name: own.port, path: ["listen", "port"], written: port },
  {
    name: own.operations,
    path: ["operations"],
    written: hostAndPort,
    expected: "expected host:port, or off"
  },
  flag(own.openToEveryone, ["openToEveryone"]),
  flag(own.sandbox, ["upstream", "sandbox"]),
  ...addressNames.map((name) => ({
    name: addresses[name].setting,
    path: ["upstream", "addresses", name],
    written: (text: string) => text
  })),
  // By reference: it may hold a password.
  { name: own.redis, path: ["redis", "url"], written: () => ({ env: own.redis }) }
]

/** What a variable says: an option goes over it, and set and empty is as not set. */
export const value = (name: string, { env, given }: Sources): string | undefined =>
  trimmed(given[name]) ?? (isLink(name, env) ? undefined : trimmed(env[name]))

export const placeOf = (name: string, { given }: Sources): Place => ({
  _tag: "Variable",
  name,
  option: trimmed(given[name]) === undefined ? null : optionOf(name)
})

const optionOf = (name: string): string | null =>
  Object.entries(options).find(([variable]) => variable === name)?.[1] ?? null

const trimmed = (text: string | undefined): string | undefined => text?.trim() || undefined

/** Whether a variable says what is at a path. */
export const say = (path: Path, sources: Sources): boolean =>
  variables.some((variable) =>
    text(variable.path) === text(path) && value(variable.name, sources) !== undefined
  )
