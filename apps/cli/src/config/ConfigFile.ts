/**
 * Configuration files: YAML with the names of options as keys, in which every value is text.
 *
 * The parser is loaded only if there is a file.
 */
import * as Effect from "effect/Effect"
import type * as Yaml from "yaml"
import { looksLikeApiKey } from "../args/ApiKeyName.ts"
import { isProfileName, type Problem, profileNameForm } from "../args/Checks.ts"
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
  for (const problem of [...document.errors.slice(0, 1), ...document.warnings]) {
    report(problem.pos[0], describeYaml(problem), yamlHint)
  }
  if (document.errors.length > 0) return { ...nothing(file), issues }

  /** Returns the entries of a mapping, and reports anything else. */
  const entriesOf = (node: unknown, name: string): ReadonlyArray<Entry> => {
    if (node === null || (yaml.isScalar(node) && node.value === "")) return []
    if (!yaml.isMap(node)) {
      report(offsetOf(node), `${name}: expected names and values`)
      return []
    }
    return node.items.map(({ key, value }) => ({
      name: String(key),
      offset: offsetOf(key),
      text: yaml.isScalar(value) ? String(value.value ?? "") : null,
      node: value
    }))
  }
  const offsetOf = (node: unknown): number => yaml.isNode(node) ? node.range?.[0] ?? 0 : 0
  const fileValue = (value: string, offset: number): FileValue => ({ value, line: lineAt(offset) })

  const settingsOf = (entries: ReadonlyArray<Entry>, isProfile: boolean): FileValues => {
    const values = new Map<string, FileValue>()
    for (const { name, offset, text } of entries) {
      const problem = settingProblem(name, text, kind, isProfile)
      if (problem === null) values.set(name, fileValue(text ?? "", offset))
      else report(offset, problem.message, problem.hint)
    }
    return values
  }

  const sections = kind === "user" ? ["profiles", "aliases"] : []
  const all = entriesOf(document.contents, "configuration")
  const section = (name: string) =>
    all.filter((entry) => entry.name === name && sections.includes(name)).flatMap(({ node }) =>
      entriesOf(node, name)
    )
  const profiles = new Map<string, FileValues>()
  for (const { name, node, offset } of section("profiles")) {
    if (isProfileName(name)) profiles.set(name, settingsOf(entriesOf(node, name), true))
    else report(offset, `profile ${JSON.stringify(name)}: expected ${profileNameForm}`)
  }
  const aliases = new Map<string, FileValue>()
  for (const { name, offset, text } of section("aliases")) {
    const problem = AddressBook.checkName(name) ?? AddressBook.checkAddress(text ?? "") ??
      (name === name.toLowerCase() ? null : "expected lower case")
    if (problem !== null) report(offset, `alias ${JSON.stringify(name)}: ${problem}`)
    else aliases.set(name, fileValue((text ?? "").toLowerCase(), offset))
  }
  return {
    file,
    settings: settingsOf(all.filter(({ name }) => !sections.includes(name)), false),
    profiles,
    aliases,
    issues
  }
}

const describeYaml = ({ code }: Yaml.YAMLError): string =>
  `invalid YAML: ${code.toLowerCase().replaceAll("_", " ")}`

const yamlHint = "correct it in an editor"

interface Entry {
  readonly name: string
  readonly offset: number
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
  const problem = nameProblem(name, kind, isProfile)
  if (problem !== null) return problem
  const invalid = text === null
    ? { message: "expected a single value", hint: null }
    : findSetting(name)?.check(text) ?? null
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
  return isProfile && name === "profile"
    ? { message: "profile: not allowed in a profile", hint: null }
    : null
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
