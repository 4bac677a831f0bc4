/** From a file, the environment and the command line to the configuration, or to everything that is wrong with it. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as NodePath from "node:path"
import * as ApplyDefaults from "./ApplyDefaults.ts"
import type { Config } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import type { ConfigDocument } from "./ConfigSchema.ts"
import * as CrossFieldChecks from "./CrossFieldChecks.ts"
import * as Decode from "./Decode.ts"
import * as Diagnostic from "./Diagnostic.ts"
import * as EnvironmentOverlay from "./EnvironmentOverlay.ts"
import * as EnvironmentVariables from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"
import * as Secrets from "./Secrets.ts"
import * as ValueSchemas from "./ValueSchemas.ts"
import * as YamlReader from "./YamlReader.ts"

export interface LoadOptions extends EnvironmentVariables.ConfigSources {
  /** The document; where it is undefined, QUARRY_PROXY_CONFIG says where it is, or there is none. */
  readonly file?: string | undefined
}

export interface LoadedConfig {
  readonly config: Config
  /** A line each. */
  readonly warnings: ReadonlyArray<string>
  /** What was read: the document and the files of secrets, by whole paths. */
  readonly files: ReadonlyArray<string>
  /** What was in them then, as `Files.fingerprint` tells. */
  readonly digests: ReadonlyMap<string, string>
  /** What was said, by whomever. */
  readonly document: ConfigDocument
  /** Who said what is at a path. */
  readonly sourceOf: (path: ConfigPath.ConfigPath) => Diagnostic.SettingSource
}

export const load = (
  options: LoadOptions
): Effect.Effect<LoadedConfig, Diagnostic.InvalidConfigError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const file = options.file ??
      EnvironmentVariables.variableValue(EnvironmentVariables.proxyVariables.config, options)
    const source = file === undefined ? emptySource : yield* readSource(file, options)
    const overlay = EnvironmentOverlay.applyEnvironment(
      { original: source.original, value: source.value },
      options
    )
    const decoded = Decode.decodeDocument(overlay.value)
    const document = resolveSecretPaths(Either.getOrElse(decoded, () => ({})), file)
    const sourceOf = sourceLookup(overlay.origins, source)
    const locate = (finding: Diagnostic.ConfigIssue) =>
      Diagnostic.locateIssue(sourceOf(finding.path), finding)

    const secrets = yield* readSecrets(document, options.env)
    const values = new Map(
      secrets.flatMap(({ path, value }) =>
        value === undefined ? [] : [[ConfigPath.formatPath(path), value] as const]
      )
    )
    const config = ApplyDefaults.applyDefaults(document, values)
    const checks = CrossFieldChecks.check(config, document, [...source.invalidPaths, ...overlay.invalidPaths])

    const diagnostics = [
      ...source.diagnostics,
      ...overlay.diagnostics,
      // What was sound in the file and in the variables is sound together.
      ...Either.match(decoded, { onLeft: (wrong) => wrong.map(locate), onRight: () => [] }),
      ...[...secrets.flatMap(({ issue }) => issue ?? []), ...checks.errors].map(locate)
    ]
    const digests = new Map([
      ...source.digests,
      ...secrets.flatMap(({ digest, reference }) =>
        reference.file === undefined || digest === undefined
          ? []
          : [[reference.file, digest] as const]
      )
    ])
    if (diagnostics.length > 0) {
      return yield* new Diagnostic.InvalidConfigError({ diagnostics: sortByPosition(diagnostics), digests })
    }
    const warnings = [
      ...overlay.warnings,
      ...[...secrets.flatMap(({ warning }) => warning ?? []), ...checks.warnings].map(locate)
    ]
    return {
      config,
      warnings: sortByPosition(warnings).map(Diagnostic.formatDiagnostic),
      files: [...digests.keys()],
      digests,
      document,
      sourceOf
    }
  })

interface SourceDocument {
  readonly file: string | undefined
  /** As it was written. */
  readonly original: unknown
  /** Without what is wrong. */
  readonly value: unknown
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** What cannot be relied on. */
  readonly invalidPaths: ReadonlyArray<ConfigPath.ConfigPath>
  readonly position: YamlReader.YamlDocument["position"]
  readonly digests: ReadonlyMap<string, string>
}

const emptySource: SourceDocument = {
  file: undefined,
  original: {},
  value: {},
  diagnostics: [],
  invalidPaths: [],
  position: () => null,
  digests: new Map()
}

const readSource = (
  file: string,
  sources: EnvironmentVariables.ConfigSources
): Effect.Effect<SourceDocument, never, FileSystem.FileSystem> => {
  const fileSource = (position: Diagnostic.SourcePosition | null): Diagnostic.SettingSource => ({
    _tag: "File",
    file,
    position
  })
  const toDiagnostics = (syntaxIssues: ReadonlyArray<YamlReader.SyntaxIssue>) =>
    syntaxIssues.map(({ position, message }) =>
      Diagnostic.locateIssue(fileSource(position), Diagnostic.makeIssue([], message))
    )
  // Of what cannot be read, everything may have been said.
  const unreadable = (
    syntaxIssues: ReadonlyArray<YamlReader.SyntaxIssue>,
    fingerprint: string
  ): SourceDocument => ({
    ...emptySource,
    file,
    diagnostics: toDiagnostics(syntaxIssues),
    invalidPaths: [[]],
    digests: new Map([[NodePath.resolve(file), fingerprint]])
  })
  return Effect.match(Files.readFile(file, Files.maxFileBytes), {
    onFailure: ({ digest, reason }) => unreadable([{ position: null, message: reason }], digest),
    onSuccess: ({ bytes, digest }) =>
      Either.match(YamlReader.parseYaml(bytes), {
        onLeft: (syntaxIssues) => unreadable(syntaxIssues, digest),
        onRight: ({ syntaxIssues, position, value }) => {
          const issues = Decode.issuesIn(value)
            .filter(({ missing, path }) => !(missing && EnvironmentVariables.setsPath(path, sources)))
          return {
            file,
            original: value,
            value: Decode.withoutInvalid(value, issues),
            diagnostics: [
              ...toDiagnostics(syntaxIssues),
              ...issues.map((finding) => Diagnostic.locateIssue(fileSource(position(finding)), finding))
            ],
            invalidPaths: Decode.invalidPaths(issues),
            position,
            digests: new Map([[NodePath.resolve(file), digest]])
          }
        }
      })
  })
}

/** Files of secrets are looked for from where the document is. */
const resolveSecretPaths = (document: ConfigDocument, file: string | undefined): ConfigDocument =>
  ApplyDefaults.mapSecretReferences(
    document,
    (reference) =>
      reference.file === undefined
        ? reference
        : { file: NodePath.resolve(file === undefined ? "." : NodePath.dirname(file), reference.file) }
  )

const sourceLookup =
  (origins: ReadonlyMap<string, Diagnostic.SettingSource>, { file, position, original }: SourceDocument) =>
  (path: ConfigPath.ConfigPath): Diagnostic.SettingSource => {
    const known = origins.get(ConfigPath.formatPath(path))
    if (known !== undefined) return known
    if (file === undefined || ConfigPath.getAt(original, path) === undefined) return { _tag: "Default" }
    return { _tag: "File", file, position: position({ path, part: "value" }) }
  }

interface SecretResult {
  readonly path: ConfigPath.ConfigPath
  readonly reference: ValueSchemas.SecretReference
  readonly value: Redacted.Redacted | undefined
  readonly digest: string | undefined
  readonly issue: Diagnostic.ConfigIssue | undefined
  readonly warning: Diagnostic.ConfigIssue | undefined
}

const readSecrets = (
  document: ConfigDocument,
  env: EnvironmentVariables.VariableValues
): Effect.Effect<ReadonlyArray<SecretResult>, never, FileSystem.FileSystem> =>
  Effect.forEach(ApplyDefaults.secretReferences(document), ({ path, reference }) => {
    const toIssue = (problem: string | undefined) =>
      problem === undefined ? undefined : Diagnostic.makeIssue(path, problem)
    return Effect.match(Secrets.readSecret(reference, env), {
      onFailure: ({ digest, reason }): SecretResult => ({
        path,
        reference,
        value: undefined,
        digest,
        issue: toIssue(reason),
        warning: undefined
      }),
      onSuccess: ({ digest, value, warning }): SecretResult => ({
        path,
        reference,
        value,
        digest,
        issue: path === ApplyDefaults.redisUrlPath
          ? toIssue(ValueSchemas.redisUrlError(Redacted.value(value)))
          : undefined,
        warning: toIssue(warning)
      })
    })
  })

/** From the top of the file to its end, then what others said. */
const sortByPosition = (
  diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
): ReadonlyArray<Diagnostic.Diagnostic> => {
  const line = ({ source }: Diagnostic.Diagnostic) =>
    source._tag === "File" ? source.position?.line ?? 0 : Number.MAX_SAFE_INTEGER
  const column = ({ source }: Diagnostic.Diagnostic) =>
    source._tag === "File" ? source.position?.column ?? 0 : 0
  return diagnostics.toSorted((a, b) => line(a) - line(b) || column(a) - column(b))
}
