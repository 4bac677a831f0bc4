/** Loads the configuration. Precedence: options of the command line, environment variables, file, defaults. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as NodePath from "node:path"
import type { Config } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import * as CrossFieldChecks from "./CrossFieldChecks.ts"
import * as Decode from "./Decode.ts"
import * as Diagnostic from "./Diagnostic.ts"
import * as EnvironmentOverlay from "./EnvironmentOverlay.ts"
import * as EnvironmentVariables from "./EnvironmentVariables.ts"
import * as References from "./References.ts"
import * as YamlReader from "./YamlReader.ts"

export interface LoadedConfig {
  readonly config: Config
  /** One line each. */
  readonly warnings: ReadonlyArray<string>
  /** The absolute paths of all files that were read. */
  readonly files: ReadonlyArray<string>
  /** The digests of the files when they were read. */
  readonly digests: ReadonlyMap<string, string>
  readonly sourceOf: (path: ConfigPath.ConfigPath) => Diagnostic.SettingSource
}

export const load = (
  options: EnvironmentVariables.ConfigSources
): Effect.Effect<LoadedConfig, Diagnostic.InvalidConfigError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const file = EnvironmentVariables.variableValue(EnvironmentVariables.proxyVariables.config, options)
    const inFile = (position: Diagnostic.SourcePosition | null): Diagnostic.SettingSource =>
      file === undefined ? { _tag: "Default" } : { _tag: "File", file, position }
    const invalid = (diagnostics: ReadonlyArray<Diagnostic.Diagnostic>) =>
      new Diagnostic.InvalidConfigError({ file, diagnostics: Diagnostic.sort(diagnostics) })
    const { digests, readFile, references, warnings: exposed } = yield* References.make(
      NodePath.dirname(file ?? ""),
      options.env
    )
    const yaml = file === undefined ? YamlReader.empty : yield* readFile(NodePath.resolve(file)).pipe(
      Effect.mapError((message) => ({ message, position: null })),
      Effect.flatMap(YamlReader.parseYaml),
      Effect.mapError(({ message, position }) => invalid([{ source: inFile(position), path: [], message }]))
    )
    const overlay = EnvironmentOverlay.overlay(yaml.value ?? {}, options)
    const locate: Decode.Locate = (path, part) =>
      overlay.sources.get(ConfigPath.format(path)) ?? inFile(yaml.position(path, part))
    const sourceOf = (path: ConfigPath.ConfigPath): Diagnostic.SettingSource =>
      ConfigPath.get(overlay.document, path) === undefined ? { _tag: "Default" } : locate(path, "value")
    const config = yield* Decode.decode(overlay.document, locate).pipe(
      Effect.provideService(References.References, references),
      Effect.mapError(invalid)
    )
    const { errors, warnings } = CrossFieldChecks.check(config)
    const found = ({ message, path }: CrossFieldChecks.Finding) => ({ source: sourceOf(path), path, message })
    if (errors.length > 0) return yield* invalid(errors.map(found))
    const lines = [...exposed, ...Diagnostic.sort(warnings.map(found)).map(Diagnostic.formatDiagnostic)]
    return { config, warnings: lines, files: [...digests.keys()], digests, sourceOf }
  })
