/** The variables and options that stand for settings, and how each is read. */
import { baseUrlSettings } from "./BaseUrls.ts"
import { upstreamNames } from "./Config.ts"
import { type ConfigPath, formatPath } from "./ConfigPath.ts"
import type { SettingSource } from "./Diagnostic.ts"
import { isServiceLink } from "./KubernetesServiceLinks.ts"

/** Values by the names of variables. */
export type VariableValues = Readonly<Record<string, string | undefined>>

/** The environment, and the options of the command line by the names of the variables that they stand for. */
export interface ConfigSources {
  readonly optionValues: VariableValues
  readonly env: VariableValues
}

/** The variables that are the proxy's alone. Those of the service are named as for the library. */
export const proxyVariables = {
  config: "QUARRY_PROXY_CONFIG",
  host: "QUARRY_PROXY_HOST",
  port: "QUARRY_PROXY_PORT",
  admin: "QUARRY_PROXY_OPERATIONS",
  allowAnonymous: "QUARRY_PROXY_OPEN_TO_EVERYONE",
  sandbox: "QUARRY_SANDBOX",
  redis: "QUARRY_REDIS_URL"
} as const

/** The options of the command line that stand for variables. */
export const optionNames = {
  [proxyVariables.config]: "--config",
  [proxyVariables.host]: "--host",
  [proxyVariables.port]: "--port",
  [proxyVariables.admin]: "--admin",
  [proxyVariables.allowAnonymous]: "--open-to-everyone",
  [proxyVariables.sandbox]: "--sandbox"
} as const satisfies VariableValues

/** A variable that stands for a setting. */
export interface VariableBinding {
  readonly name: string
  readonly path: ConfigPath
  /** As it would be written in the document. What cannot be read stays text, for the document's schema to refuse. */
  readonly parse: (text: string) => unknown
  /** Where the document expects something else than the variable. */
  readonly expected?: string
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const)
])

const booleanBinding = (name: string, path: ConfigPath): VariableBinding => ({
  name,
  path,
  parse: (text) => booleanWords.get(text.toLowerCase()) ?? text,
  expected: "expected 1 or 0"
})

const parsePort = (text: string): unknown => /^\d{1,9}$/.test(text) ? Number(text) : text

const parseHostAndPort = (text: string): unknown => {
  const [, host, digits] =
    /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,9})$/.exec(text)?.filter((part) => part !== undefined) ?? []
  return host === undefined || digits === undefined ? text : { host, port: Number(digits) }
}

export const variableBindings: ReadonlyArray<VariableBinding> = [
  { name: proxyVariables.host, path: ["listen", "host"], parse: (text) => text },
  { name: proxyVariables.port, path: ["listen", "port"], parse: parsePort },
  {
    name: proxyVariables.admin,
    path: ["admin"],
    parse: parseHostAndPort,
    expected: "expected host:port, or off"
  },
  booleanBinding(proxyVariables.allowAnonymous, ["allowAnonymous"]),
  booleanBinding(proxyVariables.sandbox, ["upstream", "sandbox"]),
  ...upstreamNames.map((name) => ({
    name: baseUrlSettings[name].variable,
    path: ["upstream", "baseUrls", name],
    parse: (text: string) => text
  })),
  // By reference: it may hold a password.
  { name: proxyVariables.redis, path: ["redis", "url"], parse: () => ({ env: proxyVariables.redis }) }
]

/** What a variable says: an option goes over it, and set and empty is as not set. */
export const variableValue = (name: string, { env, optionValues }: ConfigSources): string | undefined =>
  nonEmpty(optionValues[name]) ?? (isServiceLink(name, env) ? undefined : nonEmpty(env[name]))

export const variableSource = (name: string, { optionValues }: ConfigSources): SettingSource => ({
  _tag: "Variable",
  name,
  option: nonEmpty(optionValues[name]) === undefined ? null : optionName(name)
})

const optionName = (name: string): string | null =>
  Object.entries(optionNames).find(([variable]) => variable === name)?.[1] ?? null

const nonEmpty = (text: string | undefined): string | undefined => text?.trim() || undefined

/** Whether a variable says what is at a path. */
export const setsPath = (path: ConfigPath, sources: ConfigSources): boolean =>
  variableBindings.some((variable) =>
    formatPath(variable.path) === formatPath(path) && variableValue(variable.name, sources) !== undefined
  )
