/** The decoded cases of `cases.yaml`, with placeholders replaced. */
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { parse, stringify } from "yaml"
import type { FileEntry, Files } from "../config/support.ts"

/** The path of a case's configuration file. */
const configPath = "/etc/quarry-proxy.yaml"

const Content = Schema.NullOr(Schema.Union(
  Schema.String,
  Schema.Struct({ text: Schema.String, mode: Schema.Number }),
  Schema.Struct({ repeat: Schema.Tuple(Schema.String, Schema.Number) }),
  Schema.Struct({ base64: Schema.String })
))

type Content = typeof Content.Type

const texts = <A>(value: Schema.Schema<A>) =>
  Schema.optionalWith(Schema.Record({ key: Schema.String, value }), { default: () => ({}) })

const Input = Schema.Struct({
  title: Schema.optional(Schema.String),
  file: Schema.optional(Schema.NullOr(Schema.String)),
  files: texts(Content),
  env: texts(Schema.String),
  args: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  signal: Schema.optionalWith(Schema.Literal("SIGINT", "SIGTERM"), { default: () => "SIGINT" as const })
})

type Input = typeof Input.Type

const Groups = Schema.Record({ key: Schema.String, value: Schema.Array(Input) })

const Settings = Schema.Record({ key: Schema.String, value: Schema.Unknown })

type Settings = typeof Settings.Type

const Change = Schema.Struct({
  title: Schema.String,
  merge: Schema.optional(Settings),
  text: Schema.optional(Schema.NullOr(Schema.String)),
  files: texts(Schema.String),
  signal: Schema.optionalWith(Schema.Boolean, { default: () => false })
})

const Reload = Schema.Struct({
  title: Schema.String,
  base: Settings,
  files: texts(Schema.String),
  changes: Schema.Array(Change)
})

const Cases = Schema.Struct({
  check: Groups,
  print: Groups,
  commands: Groups,
  failures: Schema.Array(Input),
  starts: Schema.Array(Input),
  reloads: Schema.Array(Reload)
})

const all = Schema.decodeUnknownSync(Cases, { onExcessProperty: "error" })(
  parse(readFileSync(new URL("cases.yaml", import.meta.url), "utf8"))
)

/** A command line with its environment and files. */
export interface Case {
  readonly title: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly files: Files
  readonly signal: "SIGINT" | "SIGTERM"
}

const expand = (text: string): string =>
  text.replaceAll(/\{hash:(\w)\}/g, (_, digit: string) => `sha256:${digit.repeat(64)}`)

const file = (content: Content): FileEntry | null => {
  if (content === null) return null
  if (typeof content === "string") return { text: expand(content) }
  if ("text" in content) return { text: content.text, mode: 0o100000 | content.mode }
  return {
    text: "repeat" in content
      ? content.repeat[0].repeat(content.repeat[1])
      : Buffer.from(content.base64, "base64")
  }
}

const toCase = (words: ReadonlyArray<string>) => (input: Input): Case => ({
  title: input.title ?? [...words, ...input.args].join(" "),
  args: [...words, ...(input.file === undefined ? [] : ["--config", configPath]), ...input.args],
  env: input.env,
  files: Rec.map<string, Content, FileEntry | null>({
    ...(input.file === undefined ? {} : { [configPath]: input.file }),
    ...input.files
  }, file),
  signal: input.signal
})

type Cases = ReadonlyMap<string, ReadonlyArray<Case>>

const groups = (inputs: typeof Groups.Type, words: ReadonlyArray<string>): Cases =>
  new Map(Object.entries(inputs).map(([name, group]) => [name, group.map(toCase(words))]))

export const check: Cases = groups(all.check, ["config", "check"])

export const print: Cases = groups(all.print, ["config", "print"])

export const commands: Cases = groups(all.commands, [])

export const failures: ReadonlyArray<Case> = all.failures.map(toCase([]))

export const starts: ReadonlyArray<Case> = all.starts.map(toCase([]))

/** A change of the files of a running proxy. */
interface Change {
  readonly title: string
  /** New contents of files by name; null removes a file. */
  readonly files: ReadonlyMap<string, string | null>
  readonly signal: boolean
}

export interface Reload {
  readonly title: string
  readonly files: ReadonlyMap<string, string>
  readonly changes: ReadonlyArray<Change>
}

/** The file name of the configuration. */
export const configName = "quarry-proxy.yaml"

const isSettings = Schema.is(Settings)

const isSection = (value: unknown): value is Settings => isSettings(value) && !Array.isArray(value)

const merged = (base: Settings, over: Settings): Settings =>
  Object.fromEntries(
    Object.entries({ ...base, ...over }).flatMap(([name, value]) => {
      if (value === null) return []
      const before = base[name]
      return [[name, isSection(before) && isSection(value) ? merged(before, value) : value]]
    })
  )

const text = (settings: Settings): string => expand(stringify(settings, { lineWidth: 0 }))

export const reloads: ReadonlyArray<Reload> = all.reloads.map(({ base, changes, files, title }) => ({
  title,
  files: new Map([...Object.entries(files), [configName, text(base)]]),
  changes: changes.map((change) => {
    const config = change.text !== undefined
      ? change.text
      : change.merge === undefined
      ? undefined
      : text(merged(base, change.merge))
    return {
      title: change.title,
      signal: change.signal,
      files: new Map([
        ...Object.entries(change.files),
        ...(config === undefined ? [] : [[configName, config] as const])
      ])
    }
  })
}))
