/** Errors and warnings about the configuration: where, what was expected, what was found. */
import * as Data from "effect/Data"
import * as ConfigPath from "./ConfigPath.ts"

export type SettingSource =
  | { readonly _tag: "File"; readonly file: string; readonly position: SourcePosition | null }
  | { readonly _tag: "Variable"; readonly name: string; readonly option?: string | undefined }
  | { readonly _tag: "Default" }

/** Both count from 1. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

export interface Diagnostic {
  readonly source: SettingSource
  readonly path: ConfigPath.ConfigPath
  /** Never quotes a sensitive value. */
  readonly message: string
  /** The value, or its type if the value is sensitive. */
  readonly got?: string | undefined
}

/** One line: `quarry-proxy.yaml:12:5: clients[0]: unknown key "scope"; did you mean scopes?` */
export const formatDiagnostic = ({ got, message, path, source }: Diagnostic): string =>
  [
    ...(source._tag === "Default" ? [] : [formatSource(source)]),
    ...(source._tag === "Variable" || path.length === 0 ? [] : [ConfigPath.format(path)]),
    message
  ].join(": ") + (got === undefined ? "" : `, got ${got}`)

const formatSource = (source: Exclude<SettingSource, { readonly _tag: "Default" }>): string => {
  if (source._tag === "Variable") return source.option ? `${source.option} (${source.name})` : source.name
  const { file, position } = source
  return position === null ? file : `${file}:${position.line}:${position.column}`
}

/** Sorts by the position in the file; diagnostics about variables come last. */
export const sort = (diagnostics: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const rank = ({ source }: Diagnostic): number =>
    source._tag !== "File" ? Infinity : (source.position?.line ?? 0) * 1e7 + (source.position?.column ?? 0)
  return diagnostics.toSorted((a, b) => rank(a) === rank(b) ? 0 : rank(a) < rank(b) ? -1 : 1)
}

export class InvalidConfigError extends Data.TaggedError("InvalidConfigError")<{
  readonly file: string | undefined
  readonly diagnostics: ReadonlyArray<Diagnostic>
}> {}
