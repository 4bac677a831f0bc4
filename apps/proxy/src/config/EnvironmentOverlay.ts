/** Lays environment variables and options of the command line over a document: they are its settings in other words. */
import * as Names from "@blockquarry/http/Settings"
import * as Rec from "effect/Record"
import * as ConfigPath from "./ConfigPath.ts"
import * as Decode from "./Decode.ts"
import * as Diagnostic from "./Diagnostic.ts"
import {
  type ConfigSources,
  proxyVariables,
  variableBindings,
  variableSource,
  variableValue,
  type VariableValues
} from "./EnvironmentVariables.ts"
import { isServiceLink } from "./KubernetesServiceLinks.ts"
import { closestName } from "./Suggestions.ts"

const upstreamKeysPath = ["upstream", "keys"]

/** The name of the key that variables make. */
const environmentKeyName = "environment"

export interface Overlay {
  /** The document with what the variables say, and without what is wrong of that. */
  readonly value: unknown
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** What cannot be relied on. */
  readonly invalidPaths: ReadonlyArray<ConfigPath.ConfigPath>
  readonly warnings: ReadonlyArray<Diagnostic.Diagnostic>
  /** Which variable said what is at a path. */
  readonly origins: ReadonlyMap<string, Diagnostic.SettingSource>
}

/**
 * Lays options over variables, and both over a document. `whole` is the document as it was written, `value` what is
 * left of it without what is wrong.
 */
export const applyEnvironment = (
  documents: { readonly original: unknown; readonly value: unknown },
  sources: ConfigSources
): Overlay => {
  const valueOf = (name: string): string | undefined => variableValue(name, sources)
  const sourceOf = (name: string): Diagnostic.SettingSource => variableSource(name, sources)
  const parsed = variableBindings.flatMap((variable) => {
    const text = valueOf(variable.name)
    if (text === undefined) return []
    const raw = variable.parse(text)
    return [{ ...variable, value: raw, wrong: Decode.issuesIn(ConfigPath.setAt({}, variable.path, raw)) }]
  })
  const diagnostics = parsed.flatMap(({ expected, name, path, wrong: issues }) =>
    issues.map((finding) =>
      Diagnostic.locateIssue(sourceOf(name), {
        ...finding,
        message: ConfigPath.formatPath(finding.path) === ConfigPath.formatPath(path)
          ? expected ?? finding.message
          : finding.message
      })
    )
  )
  const valid = parsed.filter(({ wrong: issues }) => issues.length === 0)
  const applied = valid.reduce<Pick<Overlay, "value" | "origins">>(
    ({ origins, value }, variable) => ({
      value: overlayValue(value, variable.path, variable.value),
      origins: new Map([...origins, ...originsOf(variable.path, variable.value, sourceOf(variable.name))])
    }),
    { value: documents.value, origins: new Map() }
  )
  const key = environmentKey(documents.original, applied.value, valueOf, sourceOf)
  return {
    value: key.value,
    origins: new Map([...applied.origins, ...key.origins]),
    diagnostics: [...diagnostics, ...key.diagnostics, ...unknownVariables(documents.original, sources.env)],
    invalidPaths: [...diagnostics, ...key.diagnostics].map(({ path }) => path),
    warnings: [...key.warnings, ...serviceLinkWarnings(sources)]
  }
}

/** A section that is said in part leaves the rest of it as it is. */
const overlayValue = (document: unknown, path: ConfigPath.ConfigPath, value: unknown): unknown =>
  ConfigPath.isRecord(value) && !("env" in value)
    ? Object.entries(value).reduce<unknown>(
      (laid, [name, inner]) => ConfigPath.setAt(laid, [...path, name], inner),
      document
    )
    : ConfigPath.setAt(document, path, value)

const originsOf = (
  path: ConfigPath.ConfigPath,
  value: unknown,
  source: Diagnostic.SettingSource
): ReadonlyArray<readonly [string, Diagnostic.SettingSource]> => [
  [ConfigPath.formatPath(path), source] as const,
  ...(ConfigPath.isRecord(value) && !("env" in value)
    ? Object.keys(value).map((name) => [ConfigPath.formatPath([...path, name]), source] as const)
    : [])
]

/** The key of the environment counts only where the document names none. */
const environmentKey = (
  original: unknown,
  value: unknown,
  valueOf: (name: string) => string | undefined,
  sourceOf: (name: string) => Diagnostic.SettingSource
): Omit<Overlay, "invalidPaths"> => {
  const none = { value, diagnostics: [], warnings: [], origins: new Map<string, Diagnostic.SettingSource>() }
  const configuredKeys = ConfigPath.getAt(original, upstreamKeysPath)
  const text = { secret: valueOf(Names.apiKey), rateLimit: valueOf(Names.rateLimit) }
  if (ConfigPath.isRecord(configuredKeys) || (Array.isArray(configuredKeys) && configuredKeys.length > 0)) {
    const unused = [
      ...(text.secret === undefined || referencedVariables(configuredKeys).has(Names.apiKey)
        ? []
        : [Names.apiKey]),
      ...(text.rateLimit === undefined ? [] : [Names.rateLimit])
    ]
    return {
      ...none,
      warnings: unused.map((name) =>
        Diagnostic.locateIssue(
          sourceOf(name),
          Diagnostic.makeIssue(
            upstreamKeysPath,
            "it is not used, because the file names keys under upstream.keys"
          )
        )
      )
    }
  }
  if (text.secret === undefined) return none
  const keyPath = [...upstreamKeysPath, 0]
  const rateLimit = text.rateLimit === undefined ? {} : { rateLimit: text.rateLimit }
  const key = (more: object) => ({
    upstream: { keys: [{ name: environmentKeyName, secret: { env: Names.apiKey }, ...more }] }
  })
  const issues = Decode.issuesIn(key(rateLimit))
  return {
    value: ConfigPath.setAt(value, upstreamKeysPath, key(issues.length === 0 ? rateLimit : {}).upstream.keys),
    diagnostics: issues.map((finding) => Diagnostic.locateIssue(sourceOf(Names.rateLimit), finding)),
    warnings: [],
    origins: new Map([
      [ConfigPath.formatPath(keyPath), sourceOf(Names.apiKey)],
      [ConfigPath.formatPath([...keyPath, "name"]), sourceOf(Names.apiKey)],
      [ConfigPath.formatPath([...keyPath, "secret"]), sourceOf(Names.apiKey)],
      ...(text.rateLimit === undefined
        ? []
        : [[ConfigPath.formatPath([...keyPath, "rateLimit"]), sourceOf(Names.rateLimit)] as const])
    ])
  }
}

/** The variables that a document names as places of secrets. */
const referencedVariables = (value: unknown): ReadonlySet<string> => {
  if (Array.isArray(value)) return new Set(value.flatMap((inner) => [...referencedVariables(inner)]))
  if (!ConfigPath.isRecord(value)) return new Set()
  return new Set([
    ...(typeof value["env"] === "string" ? [value["env"]] : []),
    ...Object.values(value).flatMap((inner) => [...referencedVariables(inner)])
  ])
}

const unknownVariables = (original: unknown, env: VariableValues): ReadonlyArray<Diagnostic.Diagnostic> => {
  const known: ReadonlyArray<string> = Object.values(proxyVariables)
  const referenced = referencedVariables(original)
  return Rec.keys(env)
    .filter((name) =>
      name.startsWith("QUARRY_PROXY_") && !known.includes(name) && !referenced.has(name) &&
      !isServiceLink(name, env)
    )
    .map((name) => ({
      ...Diagnostic.locateIssue(
        { _tag: "Variable", name, option: null },
        Diagnostic.makeIssue([], "there is no such setting")
      ),
      suggestion: closestName(name, known)
    }))
}

/** An option says what was meant. */
const serviceLinkWarnings = (sources: ConfigSources): ReadonlyArray<Diagnostic.Diagnostic> =>
  isServiceLink(proxyVariables.port, sources.env) && variableValue(proxyVariables.port, sources) === undefined
    ? [Diagnostic.locateIssue(
      { _tag: "Variable", name: proxyVariables.port, option: null },
      Diagnostic.makeIssue(
        ["listen", "port"],
        "Kubernetes set it for a service of this name, so it is not read; enableServiceLinks: false stops that"
      )
    )]
    : []
