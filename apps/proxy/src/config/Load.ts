/** Loads the configuration. Precedence: options of the command line, environment variables, file, defaults. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as NodePath from "node:path"
import type { Config, ConfigDocument } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import * as CrossFieldChecks from "./CrossFieldChecks.ts"
import * as Decode from "./Decode.ts"
import * as Diagnostic from "./Diagnostic.ts"
import * as EnvironmentOverlay from "./EnvironmentOverlay.ts"
import * as EnvironmentVariables from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"
import * as Secrets from "./Secrets.ts"
import * as YamlReader from "./YamlReader.ts"

export interface LoadOptions extends EnvironmentVariables.ConfigSources {
  /** The configuration file. Default: the file named by QUARRY_PROXY_CONFIG, if it is set. */
  readonly file?: string | undefined
}

export interface LoadedConfig {
  readonly config: Config
  /** The configuration with references instead of secrets. */
  readonly document: ConfigDocument
  /** One line each. */
  readonly warnings: ReadonlyArray<string>
  /** The absolute paths of all files that were read. */
  readonly files: ReadonlyArray<string>
  /** The digests of the files when they were read. */
  readonly digests: ReadonlyMap<string, string>
  readonly sourceOf: (path: ConfigPath.ConfigPath) => Diagnostic.SettingSource
}

export const load = (
  options: LoadOptions
): Effect.Effect<LoadedConfig, Diagnostic.InvalidConfigError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const file = options.file ??
      EnvironmentVariables.variableValue(EnvironmentVariables.proxyVariables.config, options)
    const { digest, yaml } = yield* readYaml(file)
    const inFile = (position: Diagnostic.SourcePosition | null): Diagnostic.SettingSource =>
      file === undefined ? { _tag: "Default" } : { _tag: "File", file, position }
    const overlay = EnvironmentOverlay.withEnvironmentKey(yaml.value ?? {}, options)
    const decoded = Decode.decode(
      overlay.document,
      (path, part) => overlay.sources.get(ConfigPath.format(path)) ?? inFile(yaml.position(path, part)),
      options
    )
    const sourceOf = (path: ConfigPath.ConfigPath): Diagnostic.SettingSource => {
      const name = ConfigPath.format(path)
      const isInFile = ConfigPath.get(yaml.value, path) !== undefined
      return decoded.variables.get(name) ?? overlay.sources.get(name) ??
        (isInFile ? inFile(yaml.position(path, "value")) : { _tag: "Default" })
    }
    const locate = (path: ConfigPath.ConfigPath, message: string | undefined) =>
      message === undefined ? [] : [{ source: sourceOf(path), path, message }]

    const document = Secrets.resolvePaths(decoded.document, file === undefined ? "." : NodePath.dirname(file))
    const secrets = yield* Secrets.readAll(document, options.env)
    const config = Secrets.resolve(document, secrets)
    // An unreadable file could set any key.
    const invalidPaths = yaml.value === undefined ? [[]] : decoded.invalidPaths
    const checks = CrossFieldChecks.check(config, (path) => sourceOf(path)._tag !== "Default", invalidPaths)
    const digests = new Map([
      ...(file === undefined ? [] : [[NodePath.resolve(file), digest] as const]),
      ...secrets.flatMap(({ file }) => file === undefined ? [] : [file])
    ])
    const errors = Diagnostic.sort([
      ...(yaml.issue === null
        ? []
        : [{ source: inFile(yaml.issue.position), path: [], message: yaml.issue.message }]),
      ...decoded.diagnostics,
      ...EnvironmentOverlay.unknownVariables(yaml.value, options.env),
      // The sandbox sends no requests
      ...(config.upstream.sandbox ? [] : EnvironmentOverlay.invalidHttpProxies(options.env)),
      ...secrets.flatMap(({ error, path }) => locate(path, error)),
      ...checks.errors.flatMap(({ message, path }) => locate(path, message))
    ])
    const warnings = Diagnostic.sort([
      ...overlay.warnings,
      ...EnvironmentOverlay.ignoredPort(options),
      ...secrets.flatMap(({ path, warning }) => locate(path, warning)),
      ...checks.warnings.flatMap(({ message, path }) => locate(path, message))
    ]).map(Diagnostic.formatDiagnostic)
    if (errors.length > 0) {
      return yield* new Diagnostic.InvalidConfigError({ file, diagnostics: errors, warnings, digests })
    }
    return { config, document, warnings, files: [...digests.keys()], digests, sourceOf }
  })

const readYaml = (file: string | undefined) =>
  file === undefined
    ? Effect.succeed({ digest: "", yaml: YamlReader.empty })
    : Effect.match(Files.readFile(file, Files.maxFileBytes), {
      onFailure: ({ digest, reason }) => ({ digest, yaml: YamlReader.unreadable(reason) }),
      onSuccess: ({ bytes, digest }) => ({ digest, yaml: YamlReader.parseYaml(bytes) })
    })
