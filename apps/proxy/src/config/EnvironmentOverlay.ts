/** Sets the values of variables in the document. */
import * as Names from "@blockquarry/http/gateway/Settings"
import { keys } from "./Config.ts"
import { type ConfigKey, flatten } from "./ConfigKey.ts"
import { type ConfigPath, format, get, isMapping } from "./ConfigPath.ts"
import type { SettingSource } from "./Diagnostic.ts"
import * as Variables from "./EnvironmentVariables.ts"

const apiKeys = ["upstream", "keys"]

/** Sets the values of variables, and those of QUARRY_API_KEY and QUARRY_RATE_LIMIT as the only key if there is none. */
export const overlay = (file: unknown, sources: Variables.ConfigSources) => {
  /** The variables that set the keys at paths. */
  const variables = new Map<string, SettingSource>()
  let document = withoutEmpty(file, keys)
  const recordSource = (path: ConfigPath, name: string) =>
    void variables.set(format(path), Variables.variableSource(name, sources))

  const secret = Variables.variableValue(Names.apiKey, sources)
  const configured = get(file, apiKeys) ?? []
  if (secret !== undefined && Array.isArray(configured) && configured.length === 0) {
    const rateLimit = Variables.variableValue(Names.rateLimit, sources)
    const key = { name: "environment", secret: { env: Names.apiKey } }
    document = replaced(document, apiKeys, [rateLimit === undefined ? key : { ...key, rateLimit }])
    for (const name of ["name", "secret"]) recordSource([...apiKeys, 0, name], Names.apiKey)
    if (rateLimit !== undefined) recordSource([...apiKeys, 0, "rateLimit"], Names.rateLimit)
  }
  for (const { kind, path, variable } of flatten(keys)) {
    const text = variable && Variables.variableValue(variable.name, sources)
    if (variable === undefined || text === undefined) continue
    const [before, value] = [get(document, path), variable.parse(text)]
    const section = kind === "section" && isMapping(value) ? value : null
    const merged = section !== null && isMapping(before) ? { ...before, ...section } : value
    document = replaced(document, path, merged)
    for (const at of [path, ...Object.keys(section ?? {}).map((name) => [...path, name])]) {
      recordSource(at, variable.name)
    }
  }
  return { document, sources: variables }
}

/** Leaves out sections and lists whose lines are all commented out. They are null in YAML. */
const withoutEmpty = (value: unknown, keys: ReadonlyArray<ConfigKey>): unknown => {
  if (Array.isArray(value)) return value.map((element) => withoutEmpty(element, keys))
  if (!isMapping(value)) return value
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const key = keys.find((key) => key.name === name && key.kind !== "value")
    if (key === undefined) return [[name, inner] as const]
    return inner === null ? [] : [[name, withoutEmpty(inner, key.keys)] as const]
  })
  return Object.fromEntries(entries)
}

/** Returns a document with another value at a path. A section that is invalid remains, so that it is reported. */
const replaced = (document: unknown, [name, ...rest]: ReadonlyArray<string>, value: unknown): unknown => {
  if (name === undefined) return value
  const section = document ?? {}
  return isMapping(section) ? { ...section, [name]: replaced(section[name], rest, value) } : section
}
