/** The effective configuration as a document, with who said what. Of secrets it shows where they are, and their length. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Document } from "./Document.ts"
import type { Loaded } from "./Load.ts"
import * as Outline from "./Outline.ts"
import * as Path from "./Path.ts"
import type { Place } from "./Problem.ts"
import * as Yaml from "./Yaml.ts"

export const print = (loaded: Pick<Loaded, "config" | "document" | "origin">): string => {
  const written = Schema.encodeSync(Document)(loaded.document)
  return [
    "# The configuration of quarry-proxy as it is in effect: each value, and where it comes from.",
    ...Outline.document.flatMap((field) => lines(field, written, [], loaded)),
    ""
  ].join("\n")
}

type Known = Pick<Loaded, "config" | "origin">

/** A setting of a section at a path. Lines inside are further to the right. */
const lines = (
  { default: standard, inner, name, required }: Outline.Field,
  written: unknown,
  above: Path.Path,
  known: Known
): ReadonlyArray<string> => {
  const path = [...above, name]
  const said = Path.get(written, [name])
  const from = origin(known.origin(path))
  const section = (fields: ReadonlyArray<Outline.Field>, value: unknown, at: Path.Path) =>
    fields.flatMap((field) => lines(field, value, at, known))
  switch (inner._tag) {
    case "Value": {
      const value = said ?? standard
      if (value === undefined) return required ? [] : [`# ${name}: not set`]
      return [
        `${name}: ${Yaml.inline(value)}  # ${said === undefined ? "default" : from}${secret(path, known)}`
      ]
    }
    case "Section":
      if (typeof said === "string") return [`${name}: ${Yaml.inline(said)}  # ${from}`]
      if (said === undefined && inner.fields.some((field) => field.required)) return [`# ${name}: not set`]
      return [`${name}:`, ...indented(section(inner.fields, said, path))]
    case "Sections": {
      const all = Array.isArray(said) ? said : []
      if (all.length === 0) return [`${name}: []  # ${said === undefined ? "default" : from}`]
      return [
        `${name}:`,
        ...all.flatMap((each, index) => item(section(inner.fields, each, [...path, index])))
      ]
    }
  }
}

const origin = (place: Place): string => {
  switch (place._tag) {
    case "File":
      return "file"
    case "Variable":
      return place.option ?? place.name
    case "Default":
      return "default"
  }
}

const secret = (path: Path.Path, { config }: Known): string => {
  const value = Path.get(config, path)
  if (!Redacted.isRedacted(value)) return ""
  const text = Redacted.value(value)
  return typeof text === "string" ? `; set, ${text.length} characters` : ""
}

const indented = (inside: ReadonlyArray<string>): ReadonlyArray<string> => inside.map((line) => `  ${line}`)

/** An element of a list: a dash before its first line. */
const item = (inside: ReadonlyArray<string>): ReadonlyArray<string> =>
  inside.map((line, index) => `${index === 0 ? "  - " : "    "}${line}`)
