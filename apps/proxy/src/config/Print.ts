/** The effective configuration as a document, with who said what. Of secrets it shows where they are, and their length. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ConfigPath from "./ConfigPath.ts"
import { ConfigDocument } from "./ConfigSchema.ts"
import type { SettingSource } from "./Diagnostic.ts"
import type { LoadedConfig } from "./Load.ts"
import * as SchemaFields from "./SchemaFields.ts"
import * as YamlReader from "./YamlReader.ts"

export const printConfig = (loaded: Pick<LoadedConfig, "config" | "document" | "sourceOf">): string => {
  const encoded = Schema.encodeSync(ConfigDocument)(loaded.document)
  return [
    "# The configuration of quarry-proxy as it is in effect: each value, and where it comes from.",
    ...SchemaFields.documentFields.flatMap((field) => lines(field, encoded, [], loaded)),
    ""
  ].join("\n")
}

type PrintSource = Pick<LoadedConfig, "config" | "sourceOf">

/** A setting of a section at a path. Lines inside are further to the right. */
const lines = (
  { default: defaultValue, kind, name, required }: SchemaFields.SettingField,
  encoded: unknown,
  parentPath: ConfigPath.ConfigPath,
  loaded: PrintSource
): ReadonlyArray<string> => {
  const path = [...parentPath, name]
  const setValue = ConfigPath.getAt(encoded, [name])
  const sourceLabel = sourceLabelOf(loaded.sourceOf(path))
  const section = (
    fields: ReadonlyArray<SchemaFields.SettingField>,
    value: unknown,
    at: ConfigPath.ConfigPath
  ) => fields.flatMap((field) => lines(field, value, at, loaded))
  switch (kind._tag) {
    case "Value": {
      const value = setValue ?? defaultValue
      if (value === undefined) return required ? [] : [`# ${name}: not set`]
      return [
        `${name}: ${YamlReader.toInlineYaml(value)}  # ${setValue === undefined ? "default" : sourceLabel}${
          secretNote(path, loaded)
        }`
      ]
    }
    case "Section":
      if (typeof setValue === "string") {
        return [`${name}: ${YamlReader.toInlineYaml(setValue)}  # ${sourceLabel}`]
      }
      if (setValue === undefined && kind.fields.some((field) => field.required)) return [`# ${name}: not set`]
      return [`${name}:`, ...indented(section(kind.fields, setValue, path))]
    case "Sections": {
      const all = Array.isArray(setValue) ? setValue : []
      if (all.length === 0) return [`${name}: []  # ${setValue === undefined ? "default" : sourceLabel}`]
      return [
        `${name}:`,
        ...all.flatMap((each, index) => item(section(kind.fields, each, [...path, index])))
      ]
    }
  }
}

const sourceLabelOf = (source: SettingSource): string => {
  switch (source._tag) {
    case "File":
      return "file"
    case "Variable":
      return source.option ?? source.name
    case "Default":
      return "default"
  }
}

const secretNote = (path: ConfigPath.ConfigPath, { config }: PrintSource): string => {
  const value = ConfigPath.getAt(config, path)
  if (!Redacted.isRedacted(value)) return ""
  const text = Redacted.value(value)
  return typeof text === "string" ? `; set, ${text.length} characters` : ""
}

const indented = (inside: ReadonlyArray<string>): ReadonlyArray<string> => inside.map((line) => `  ${line}`)

/** An element of a list: a dash before its first line. */
const item = (inside: ReadonlyArray<string>): ReadonlyArray<string> =>
  inside.map((line, index) => `${index === 0 ? "  - " : "    "}${line}`)
