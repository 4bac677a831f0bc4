/** Environment variables, and options of the command line, that set configuration keys. */
import type { SettingSource } from "./Diagnostic.ts"

export type VariableValues = Readonly<Record<string, string | undefined>>

export interface ConfigSources {
  /** The options of the command line, by the names of the variables that they replace. */
  readonly optionValues: VariableValues
  readonly env: VariableValues
}

/** The variables of the proxy. Those of the upstreams have the names that the library uses. */
export const proxyVariables = {
  config: "QUARRY_PROXY_CONFIG",
  host: "QUARRY_PROXY_HOST",
  port: "QUARRY_PROXY_PORT",
  admin: "QUARRY_PROXY_ADMIN",
  allowAnonymous: "QUARRY_PROXY_ALLOW_ANONYMOUS",
  sandbox: "QUARRY_SANDBOX",
  redis: "QUARRY_REDIS_URL"
} as const

export interface VariableBinding {
  readonly name: string
  /** Returns the value as it would be written in the file. Invalid text is returned as it is: the schema rejects it. */
  readonly parse: (text: string) => unknown
}

const binding = (parse: VariableBinding["parse"]) => (name: string): VariableBinding => ({ name, parse })

export const text = binding((text) => text)

export const integer = binding((text) => /^\d{1,9}$/.test(text) ? Number(text) : text)

export const flag = binding((text) =>
  /^(1|true|yes|on)$/i.test(text) ? true : /^(0|false|no|off)$/i.test(text) ? false : text
)

export const hostAndPort = binding((text) => {
  const [, ipv6, host = ipv6, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,9})$/.exec(text) ?? []
  return host === undefined ? text : { host, port: Number(port) }
})

/** The configuration refers to the variable, as its value may contain a password. */
export const reference = (name: string): VariableBinding => binding(() => ({ env: name }))(name)

/** Returns the text of a variable: options take precedence, and an empty value counts as not set. */
export const variableValue = (name: string, { env, optionValues }: ConfigSources): string | undefined =>
  trimmed(optionValues[name]) ?? trimmed(env[name]?.replace(serviceLink, ""))

/** What Kubernetes writes into QUARRY_PROXY_PORT for a service named quarry-proxy. */
const serviceLink = /^(tcp|udp|sctp):\/\/.*/

const trimmed = (text: string | undefined): string | undefined => text?.trim() || undefined

export const variableSource = (name: string, { optionValues }: ConfigSources): SettingSource => ({
  _tag: "Variable",
  name,
  option: trimmed(optionValues[name]) === undefined ? undefined : optionOf(name)
})

/** Returns the option that replaces a variable: `--port` for QUARRY_PROXY_PORT. */
export const optionOf = (variable: string): string =>
  `--${variable.replace(/^QUARRY_(PROXY_)?/, "").replaceAll("_", "-").toLowerCase()}`
