/** Variables that do not set a single key: the API key of the environment, and those that are ignored. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import * as Names from "@blockquarry/http/Settings"
import { format, get, isMapping } from "./ConfigPath.ts"
import type { Diagnostic, SettingSource } from "./Diagnostic.ts"
import * as Variables from "./EnvironmentVariables.ts"

interface Overlay {
  readonly document: unknown
  readonly warnings: ReadonlyArray<Diagnostic>
  /** The variables that set the keys at paths. */
  readonly sources: ReadonlyMap<string, SettingSource>
}

/** Adds QUARRY_API_KEY and QUARRY_RATE_LIMIT as the only key if a document has none. */
export const withEnvironmentKey = (document: unknown, sources: Variables.ConfigSources): Overlay => {
  const unchanged: Overlay = { document, warnings: [], sources: new Map() }
  const path = ["upstream", "keys"]
  const upstream = get(document, ["upstream"]) ?? {}
  const keys = get(upstream, ["keys"]) ?? []
  const secret = Variables.variableValue(Names.apiKey, sources)
  const rateLimit = Variables.variableValue(Names.rateLimit, sources)
  if (!Array.isArray(keys) || keys.length > 0) {
    const message = "not used, because the file configures upstream.keys"
    const isUsed = secret === undefined || references(keys).has(Names.apiKey)
    const unused = [...(isUsed ? [] : [Names.apiKey]), ...(rateLimit === undefined ? [] : [Names.rateLimit])]
    const sourceOf = (name: string) => Variables.variableSource(name, sources)
    return { ...unchanged, warnings: unused.map((name) => ({ source: sourceOf(name), path, message })) }
  }
  if (secret === undefined || !isMapping(document) || !isMapping(upstream)) return unchanged
  const optional = rateLimit === undefined ? {} : { rateLimit }
  const key = { name: "environment", secret: { env: Names.apiKey }, ...optional }
  const keySources = Object.keys(key).map((name) => {
    const variable = name === "rateLimit" ? Names.rateLimit : Names.apiKey
    return [format([...path, 0, name]), Variables.variableSource(variable, sources)] as const
  })
  return {
    document: { ...document, upstream: { ...upstream, keys: [key] } },
    warnings: [],
    sources: new Map(keySources)
  }
}

const references = (value: unknown): ReadonlySet<unknown> => {
  if (typeof value !== "object" || value === null) return new Set()
  const inner = Object.values(value).flatMap((inner: unknown) => [...references(inner)])
  return new Set([...inner, get(value, ["env"])])
}

export const unknownVariables = (document: unknown, env: Variables.VariableValues) => {
  const known: ReadonlyArray<string> = Object.values(Variables.proxyVariables)
  const referenced = references(document)
  return Object.keys(env)
    .filter((name) => name.startsWith("QUARRY_PROXY_") && !known.includes(name))
    .filter((name) => !referenced.has(name) && !Variables.isServiceLink(name, env))
    .map((name): Diagnostic => {
      const suggestion = closestMatch(name, known)
      return { source: { _tag: "Variable", name }, path: [], message: "unknown variable", suggestion }
    })
}

/** Reports invalid URLs of HTTP proxies. Their values may contain passwords. */
export const invalidHttpProxies = (env: Variables.VariableValues): ReadonlyArray<Diagnostic> =>
  ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((upperCase) => {
    // Like Undici and curl
    const name = env[upperCase.toLowerCase()] === undefined ? upperCase : upperCase.toLowerCase()
    const url = env[name] ?? ""
    const reason = url === "" ? null : Names.httpProxyError(url)
    const message = `${reason}; correct the URL of the HTTP proxy, or unset the variable`
    return reason === null ? [] : [{ source: { _tag: "Variable", name }, path: [], message }]
  })

/** Warns if Kubernetes set the variable of the port. An option makes clear what was meant. */
export const ignoredPort = (sources: Variables.ConfigSources): ReadonlyArray<Diagnostic> => {
  const { port: name } = Variables.proxyVariables
  const isSet = Variables.variableValue(name, sources) !== undefined
  if (isSet || !Variables.isServiceLink(name, sources.env)) return []
  const message =
    "ignored: Kubernetes set it for a service of this name; enableServiceLinks: false avoids that"
  return [{ source: { _tag: "Variable", name }, path: [], message }]
}
