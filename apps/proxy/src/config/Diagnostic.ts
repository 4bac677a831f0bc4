/** What is wrong with the configuration: where, what was expected, what is there, and what may have been meant. */
import * as Data from "effect/Data"
import type { ConfigPath } from "./ConfigPath.ts"
import * as PathText from "./ConfigPath.ts"

/** Where somebody has to look. */
export type SettingSource =
  | { readonly _tag: "File"; readonly file: string; readonly position: SourcePosition | null }
  | { readonly _tag: "Variable"; readonly name: string; readonly option: string | null }
  | { readonly _tag: "Default" }

/** Both count from 1. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Something wrong with a value of the document, wherever that came from. */
export interface ConfigIssue {
  readonly path: ConfigPath
  /** Whether the setting's name is meant, or what is written behind it. */
  readonly part: "name" | "value"
  /** Whether the last step of the path is not to be shown. */
  readonly hidden: boolean
  /** Whether everything else is right once it is gone. */
  readonly removable: boolean
  /** Whether it is the lack of what should be at the path. */
  readonly missing: boolean
  /** Never repeats what is discreet. */
  readonly message: string
  /** What is there, as far as it may be shown. */
  readonly found: string | undefined
  /** What may have been meant. */
  readonly suggestion: string | undefined
}

export interface Diagnostic extends Pick<ConfigIssue, "path" | "message" | "found" | "suggestion"> {
  readonly source: SettingSource
}

/** A finding that has only words. */
export const makeIssue = (path: ConfigPath, message: string): ConfigIssue => ({
  path,
  part: "value",
  hidden: false,
  removable: false,
  missing: false,
  message,
  found: undefined,
  suggestion: undefined
})

export const locateIssue = (
  source: SettingSource,
  { found, hidden, path, message, suggestion }: ConfigIssue
): Diagnostic => ({
  source,
  path: hidden ? path.slice(0, -1) : path,
  message,
  found,
  suggestion
})

/** One line: `quarry-proxy.yaml:12:5: clients[0].scope: there is no such setting; did you mean scopes?` */
export const formatDiagnostic = ({ found, path, source, message, suggestion }: Diagnostic): string => {
  const location = source._tag === "Variable" ? [] : [PathText.formatPath(path)].filter((name) => name !== "")
  const what = [
    message,
    ...(found === undefined ? [] : [`found ${found}`]),
    ...(suggestion === undefined ? [] : [`did you mean ${suggestion}?`])
  ]
  return [...formatSource(source), ...location, what.join("; ")].join(": ")
}

const formatSource = (source: SettingSource): ReadonlyArray<string> => {
  switch (source._tag) {
    case "File":
      return [
        source.position === null
          ? source.file
          : `${source.file}:${source.position.line}:${source.position.column}`
      ]
    case "Variable":
      return [source.option === null ? source.name : `${source.option} (${source.name})`]
    case "Default":
      return []
  }
}

/** More than these are not read at once. */
const maxPrintedDiagnostics = 100

/** The configuration cannot be used. Holds everything that is wrong with it. */
export class InvalidConfigError extends Data.TaggedError("InvalidConfigError")<{
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** Of the files that were read, or could not be: when one of them changes, it is worth another try. */
  readonly digests: ReadonlyMap<string, string>
}> {
  override get message(): string {
    const lines = this.diagnostics.slice(0, maxPrintedDiagnostics).map(formatDiagnostic)
    const remaining = this.diagnostics.length - lines.length
    return [...lines, ...(remaining > 0 ? [`and ${remaining} more`] : [])].join("\n")
  }
}
