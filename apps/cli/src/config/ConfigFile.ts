/**
 * Configuration files: YAML with the names of options as keys, in which every value is text.
 *
 * The parser is loaded only if there is a file.
 */
import * as Effect from "effect/Effect"
import type * as Yaml from "yaml"
import { looksLikeApiKey } from "../args/ApiKeyName.ts"
import { isProfileName, type Problem, problem, profileNameForm } from "../args/Checks.ts"
import { ConfigFileError } from "../errors/CommandError.ts"
import * as AddressBook from "./AddressBook.ts"
import { readSmallFile, replaceFile } from "./ReplaceFile.ts"
import { findSetting, unknownSetting } from "./Setting.ts"

interface FileValue {
  readonly value: string
  readonly line: number
}

export interface ConfigIssue {
  readonly file: string
  /** Null if it concerns the whole file. */
  readonly line: number | null
  readonly message: string
  readonly hint: string | null
}

type FileValues = ReadonlyMap<string, FileValue>

/** The valid content of a file, and what is invalid in it. */
export interface ConfigFile {
  readonly file: string
  readonly settings: FileValues
  readonly profiles: ReadonlyMap<string, FileValues>
  readonly aliases: FileValues
  readonly issues: ReadonlyArray<ConfigIssue>
}

export type FileKind = "user" | "project"

const loadYaml = Effect.promise(() => import("yaml"))

type YamlModule = typeof Yaml

/** Keeps every value as text: `0x…` is no number, and `no` no boolean. */
const parseText = (yaml: YamlModule, text: string) => {
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(text, {
    schema: "failsafe",
    stringKeys: true,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines
  })
  return { document, lineAt: (offset: number) => Math.max(1, lines.linePos(offset).line) }
}

/** Reads a file; null if it does not exist. What is invalid is part of the result. */
export const read = (file: string, kind: FileKind): Effect.Effect<ConfigFile | null> =>
  readSmallFile(file).pipe(
    Effect.flatMap((text) =>
      text === null
        ? Effect.succeed(null)
        : Effect.map(loadYaml, (yaml) => parse(yaml, text, file, kind))
    ),
    Effect.catchTag(
      "ConfigFileError",
      ({ reason }) =>
        Effect.succeed({ ...nothing(file), issues: [{ file, line: null, message: reason, hint: null }] })
    )
  )

const nothing = (file: string): ConfigFile => ({
  file,
  settings: new Map(),
  profiles: new Map(),
  aliases: new Map(),
  issues: []
})

const parse = (yaml: YamlModule, text: string, file: string, kind: FileKind): ConfigFile => {
  const { document, lineAt } = parseText(yaml, text)
  const issues: Array<ConfigIssue> = []
  const report = (offset: number, message: string, hint: string | null = null) =>
    void issues.push({ file, line: lineAt(offset), message, hint })
  // Errors after the first one are mostly its consequences
  for (const error of [...document.errors.slice(0, 1), ...document.warnings]) {
    report(error.pos[0], describeYaml(error), yamlHint)
  }
  if (document.errors.length > 0) return { ...nothing(file), issues }

  const offsetOf = (node: unknown): number => yaml.isNode(node) ? node.range?.[0] ?? 0 : 0
  /** Reads the entries of a mapping, and reports anything else. `read` returns what is wrong with an entry. */
  const readEntries = (node: unknown, title: string, read: (entry: Entry) => Problem | null): null => {
    const items = yaml.isMap(node) ? node.items : []
    for (const { key, value } of items) {
      const text = yaml.isScalar(value) ? String(value.value ?? "") : null
      const invalid = read({ name: String(key), text, line: lineAt(offsetOf(key)), node: value })
      if (invalid !== null) report(offsetOf(key), invalid.message, invalid.hint)
    }
    const isEmpty = node === null || (yaml.isScalar(node) && node.value === "")
    if (!yaml.isMap(node) && !isEmpty) report(offsetOf(node), `${title}: expected names and values`)
    return null
  }
  const readSetting =
    (values: Map<string, FileValue>, isProfile: boolean) => ({ line, name, text }: Entry) => {
      const invalid = settingProblem(name, text, kind, isProfile)
      if (invalid === null) values.set(name, { value: text ?? "", line })
      return invalid
    }
  const settings = new Map<string, FileValue>()
  const profiles = new Map<string, FileValues>()
  const aliases = new Map<string, FileValue>()
  const readProfile = ({ name, node }: Entry) => {
    if (!isProfileName(name)) return problem(`profile ${JSON.stringify(name)}: expected ${profileNameForm}`)
    const values = new Map<string, FileValue>()
    profiles.set(name, values)
    return readEntries(node, name, readSetting(values, true))
  }
  const readAlias = ({ line, name, text }: Entry) => {
    const invalid = AddressBook.checkName(name) ?? AddressBook.checkAddress(text ?? "") ??
      (name === name.toLowerCase() ? null : "expected lower case")
    if (invalid !== null) return problem(`alias ${JSON.stringify(name)}: ${invalid}`)
    aliases.set(name, { value: (text ?? "").toLowerCase(), line })
    return null
  }
  const sections = new Map(kind === "user" ? [["profiles", readProfile], ["aliases", readAlias]] : [])
  readEntries(document.contents, "configuration", (entry) => {
    const read = sections.get(entry.name)
    return read === undefined
      ? readSetting(settings, false)(entry)
      : readEntries(entry.node, entry.name, read)
  })
  return { file, settings, profiles, aliases, issues }
}

const describeYaml = ({ code }: Yaml.YAMLError): string =>
  `invalid YAML: ${code.toLowerCase().replaceAll("_", " ")}`

const yamlHint = "correct it in an editor"

interface Entry {
  readonly name: string
  readonly line: number
  /** Null if the value is no text. */
  readonly text: string | null
  readonly node: unknown
}

/** Returns what is wrong with an entry; null if it is valid. */
const settingProblem = (
  name: string,
  text: string | null,
  kind: FileKind,
  isProfile: boolean
): Problem | null => {
  const invalidName = nameProblem(name, kind, isProfile)
  if (invalidName !== null) return invalidName
  const invalid = text === null ? problem("expected a single value") : findSetting(name)?.check(text) ?? null
  return invalid === null ? null : { ...invalid, message: `${name}: ${invalid.message}` }
}

/** Returns why a file of a kind may not contain a setting; null if it may. */
export const nameProblem = (name: string, kind: FileKind, isProfile: boolean): Problem | null => {
  if (looksLikeApiKey(name)) {
    return {
      message: `${JSON.stringify(name)}: configuration files must not contain the API key`,
      hint: `remove the line${kind === "project" ? ", replace the key if others can read it" : ""}, and ` +
        "store the key with quarry auth login"
    }
  }
  const setting = findSetting(name)
  if (setting === undefined) return unknownSetting(name, ["profiles", "aliases"])
  if (kind === "project" && !setting.isSafeInProject) {
    return {
      message: `${name}: not allowed in a project file, because it determines where the API key is sent or ` +
        "which program runs",
      hint: "set it in a profile of your own file, and select that profile here: profile: <name>"
    }
  }
  return isProfile && name === "profile" ? problem("profile: not allowed in a profile") : null
}

type ValuePath = readonly [string, ...ReadonlyArray<string>]

/** Sets a value by its path, and keeps comments and everything else. */
export const setValue = (
  file: string,
  path: ValuePath,
  value: string
): Effect.Effect<void, ConfigFileError> =>
  edit(file, (yaml, document) => {
    // A section without content is a text
    for (let depth = 1; depth < path.length; depth++) {
      const section = path.slice(0, depth)
      if (document.hasIn(section) && !yaml.isMap(document.getIn(section, true))) document.deleteIn(section)
    }
    document.setIn(path, value)
  })

/** Removes a value by its path, and the sections that are empty then. Returns whether it was set. */
export const removeValue = (file: string, path: ValuePath): Effect.Effect<boolean, ConfigFileError> =>
  Effect.gen(function*() {
    let wasSet = false
    // Without the file there is nothing to remove
    if ((yield* readSmallFile(file)) === null) return false
    yield* edit(file, (yaml, document) => {
      wasSet = document.hasIn(path)
      if (!wasSet) return
      document.deleteIn(path)
      for (let depth = path.length - 1; depth > 0; depth--) {
        const section: unknown = document.getIn(path.slice(0, depth), true)
        if (yaml.isMap(section) && section.items.length === 0) document.deleteIn(path.slice(0, depth))
      }
    })
    return wasSet
  })

const edit = (
  file: string,
  change: (yaml: YamlModule, document: Yaml.Document.Parsed) => void
): Effect.Effect<void, ConfigFileError> =>
  Effect.flatMap(loadYaml, (yaml) =>
    replaceFile(file, null, (text) => {
      const { document, lineAt } = parseText(yaml, text ?? "")
      const [error] = document.errors
      const isMapping = document.contents === null || yaml.isMap(document.contents)
      if (error !== undefined || !isMapping) {
        return new ConfigFileError({
          file: error === undefined ? file : `${file}:${lineAt(error.pos[0])}`,
          reason: error === undefined ? "expected names and values" : describeYaml(error),
          hint: `${yamlHint}; the file was not changed`
        })
      }
      change(yaml, document)
      return Effect.succeed(document.contents === null ? "" : document.toString({ lineWidth: 0 }))
    }))
