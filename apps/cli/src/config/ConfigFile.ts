/**
 * The configuration file: YAML with the names of options as keys, in which every value is text.
 *
 * The parser is loaded only if there is a file.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Yaml from "yaml"
import { looksLikeApiKey } from "../args/ApiKeyName.ts"
import { isProfileName, type Problem, problem, profileNameForm } from "../args/Checks.ts"
import { ConfigFileError } from "../errors/CommandError.ts"
import * as AddressBook from "./AddressBook.ts"
import { readSmallFile, replaceFile } from "./ReplaceFile.ts"
import { findSetting, unknownSetting } from "./Setting.ts"

/** What a file has under a name. */
interface Entry {
  /** Empty for settings outside of profiles. Otherwise `aliases`, or for example `profiles.work`. */
  readonly section: string
  readonly name: string
  readonly line: number
  /** Null if it is no text. */
  readonly value: string | null
  /** Whether names and values are expected under it. */
  readonly isSection: boolean
  readonly isMapping: boolean
}

export interface ConfigIssue {
  readonly file: string
  /** Null if it concerns the whole file. */
  readonly line: number | null
  readonly message: string
  readonly hint: string | null
}

/** The valid content of a file, and what is invalid in it. */
export interface ConfigFile {
  readonly file: string
  /** Without sections. */
  readonly values: ReadonlyArray<Entry>
  readonly profiles: ReadonlyArray<string>
  readonly issues: ReadonlyArray<ConfigIssue>
}

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

const withoutValues = (file: string, issues: ConfigFile["issues"] = []): ConfigFile => ({
  file,
  values: [],
  profiles: [],
  issues
})

/** Reads a file. One that does not exist has no values, and what is invalid is part of the result. */
export const read = (file: string): Effect.Effect<ConfigFile> =>
  readSmallFile(file).pipe(
    Effect.flatMap((text) =>
      text === null
        ? Effect.succeed(withoutValues(file))
        : Effect.map(loadYaml, (yaml) => parse(yaml, text, file))
    ),
    Effect.catchTag(
      "ConfigFileError",
      ({ reason }) => Effect.succeed(withoutValues(file, [{ file, line: null, message: reason, hint: null }]))
    )
  )

const isSection = (path: string): boolean => /^(?:aliases|profiles(?:\.[^.]+)?)$/.test(path)

const parse = (yaml: YamlModule, text: string, file: string): ConfigFile => {
  const { document, lineAt } = parseText(yaml, text)
  // Errors after the first one are mostly its consequences
  const [error] = document.errors
  if (error !== undefined) {
    const line = lineAt(error.pos[0])
    return withoutValues(file, [{ file, line, message: describeYaml(error), hint: yamlHint }])
  }
  if (document.contents !== null && !yaml.isMap(document.contents)) {
    const message = "configuration: expected names and values"
    return withoutValues(file, [{ file, line: 1, message, hint: null }])
  }
  const entriesOf = (node: unknown, section: string): ReadonlyArray<Entry> =>
    (yaml.isMap(node) ? node.items : []).flatMap(({ key, value }) => {
      const path = section === "" ? String(key) : `${section}.${String(key)}`
      const entry = {
        section,
        name: String(key),
        line: lineAt(yaml.isNode(key) ? key.range?.[0] ?? 0 : 0),
        value: yaml.isScalar(value) ? String(value.value ?? "") : null,
        isSection: isSection(path),
        isMapping: yaml.isMap(value)
      }
      return [entry, ...entry.isSection ? entriesOf(value, path) : []]
    })
  const [issues, valid] = Arr.partitionMap(entriesOf(document.contents, ""), (entry) => {
    const invalid = entryProblem(entry)
    return invalid === null ? Either.right(entry) : Either.left({ file, line: entry.line, ...invalid })
  })
  return {
    file,
    values: valid.filter(({ isSection }) => !isSection),
    profiles: valid.filter(({ section }) => section === "profiles").map(({ name }) => name),
    issues
  }
}

const describeYaml = ({ code }: Yaml.YAMLError): string =>
  `invalid YAML: ${code.toLowerCase().replaceAll("_", " ")}`

const yamlHint = "correct it in an editor"

/** Returns what is wrong with an entry; null if it is valid. */
const entryProblem = ({ isMapping, isSection, name, section, value }: Entry): Problem | null => {
  if (section === "profiles" && !isProfileName(name)) {
    return problem(`profile ${JSON.stringify(name)}: expected ${profileNameForm}`)
  }
  if (isSection) return isMapping || value === "" ? null : problem(`${name}: expected names and values`)
  if (section === "aliases") {
    const reason = AddressBook.checkName(name) ?? AddressBook.checkAddress(value ?? "") ??
      (name === name.toLowerCase() ? null : "expected lower case")
    return reason === null ? null : problem(`alias ${JSON.stringify(name)}: ${reason}`)
  }
  const invalidName = nameProblem(name, section !== "")
  if (invalidName !== null) return invalidName
  const invalid = value === null
    ? problem("expected a single value")
    : findSetting(name)?.check(value) ?? null
  return invalid === null ? null : { ...invalid, message: `${name}: ${invalid.message}` }
}

/** Returns why a file may not contain a setting; null if it may. */
export const nameProblem = (name: string, isProfile: boolean): Problem | null => {
  if (looksLikeApiKey(name)) {
    return {
      message: `${JSON.stringify(name)}: configuration files must not contain the API key`,
      hint: "remove the line, and store the key with quarry auth login"
    }
  }
  if (findSetting(name) === undefined) return unknownSetting(name, ["profiles", "aliases"])
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

const edit = (file: string, change: (yaml: YamlModule, document: Yaml.Document.Parsed) => void) =>
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
