/** Loads the configuration. Precedence: options of the command line, environment variables, file, defaults. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as NodePath from "node:path"
import type { Config } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import * as CrossFieldChecks from "./CrossFieldChecks.ts"
import * as Decode from "./Decode.ts"
import * as Diagnostic from "./Diagnostic.ts"
import * as EnvironmentOverlay from "./EnvironmentOverlay.ts"
import * as EnvironmentVariables from "./EnvironmentVariables.ts"
import * as Files from "./Files.ts"
import * as Secrets from "./Secrets.ts"
import * as Weights from "./Weights.ts"
import * as YamlReader from "./YamlReader.ts"

export interface LoadOptions extends EnvironmentVariables.ConfigSources {
  /** The configuration file. Default: the file named by QUARRY_PROXY_CONFIG, if it is set. */
  readonly file?: string | undefined
}

export interface LoadedConfig {
  readonly config: Config
  /** What the file and variables set, with references instead of secrets. */
  readonly document: unknown
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
    const overlay = EnvironmentOverlay.overlay(yaml.value ?? {}, options)
    const locate: Decode.Locate = (path, part) =>
      overlay.sources.get(ConfigPath.format(path)) ?? inFile(yaml.position(path, part))
    const sourceOf = (path: ConfigPath.ConfigPath): Diagnostic.SettingSource =>
      ConfigPath.get(overlay.document, path) === undefined ? { _tag: "Default" } : locate(path, "value")
    const invalid = (
      diagnostics: ReadonlyArray<Diagnostic.Diagnostic>,
      warnings: ReadonlyArray<string> = []
    ) => new Diagnostic.InvalidConfigError({ file, diagnostics: Diagnostic.sort(diagnostics), warnings })

    const directory = NodePath.dirname(file ?? "")
    const { resolved, secrets } = yield* Secrets.readAll(overlay.document, directory, options.env)
    const decoded = Decode.decode(resolved, locate)
    const issues = [
      ...(yaml.issue === null
        ? []
        : [{ source: inFile(yaml.issue.position), path: [], message: yaml.issue.message }]),
      ...Option.getOrElse(Either.getLeft(decoded), () => [])
    ]
    if (Either.isLeft(decoded) || issues.length > 0) return yield* invalid(issues)

    const { jwt, usage } = decoded.right
    const costs = yield* readCostTable(decoded.right.costTable, directory)
    const keySet = jwt?.jwks.startsWith("http") === false ? NodePath.resolve(directory, jwt.jwks) : undefined
    const config: Config = {
      ...decoded.right,
      costTable: costs.table,
      weights: costs.weights,
      ...jwt && keySet !== undefined && { jwt: { ...jwt, jwks: keySet } },
      usage: usage.file === undefined ? usage : { ...usage, file: NodePath.resolve(directory, usage.file) }
    }
    const checks = CrossFieldChecks.check(config)
    const found = (path: ConfigPath.ConfigPath, message: string | undefined) =>
      message === undefined ? [] : [{ source: sourceOf(path), path, message }]
    const errors = [
      ...secrets.flatMap(({ error, path }) => found(path, error)),
      ...found(["costTable", "file"], costs.error),
      ...checks.errors.flatMap(({ message, path }) => found(path, message))
    ]
    const warnings = Diagnostic.sort([
      ...secrets.flatMap(({ path, warning }) => found(path, warning)),
      ...checks.warnings.flatMap(({ message, path }) => found(path, message))
    ]).map(Diagnostic.formatDiagnostic)
    if (errors.length > 0) return yield* invalid(errors, warnings)
    const digests = new Map([
      ...(file === undefined ? [] : [[NodePath.resolve(file), digest] as const]),
      ...[...secrets, costs].flatMap(({ file }) => file === undefined ? [] : [file])
    ])
    return { config, document: overlay.document, warnings, files: [...digests.keys()], digests, sourceOf }
  })

const readYaml = (file: string | undefined) =>
  file === undefined
    ? Effect.succeed({ digest: "", yaml: YamlReader.empty })
    : Effect.map(Files.readFile(file), ({ contents, digest }) => ({
      digest,
      yaml: Either.match(contents, { onLeft: YamlReader.unreadable, onRight: YamlReader.parseYaml })
    }))

const readCostTable = ({ file }: Config["costTable"], directory: string) =>
  Effect.gen(function*() {
    if (file === undefined) return { table: {}, weights: [] }
    const path = NodePath.resolve(directory, file)
    const { contents, digest } = yield* Files.readFile(path)
    const decoded = Either.flatMap(contents, (bytes) => Weights.decode(new TextDecoder().decode(bytes)))
    return {
      table: { file: path },
      weights: Either.getOrElse(decoded, () => []),
      error: Either.isRight(decoded) ? undefined : `${path}: ${decoded.left}`,
      file: [path, digest] as const
    }
  })
