/** Lays environment variables and options of the command line over a document: they are its settings in other words. */
import * as Names from "@blockquarry/http/Settings"
import * as Record from "effect/Record"
import * as Decode from "./Decode.ts"
import { isLink } from "./Links.ts"
import * as Path from "./Path.ts"
import * as Problem from "./Problem.ts"
import { nearest } from "./Suggest.ts"
import { own, placeOf, type Sources, value, type Variables, variables } from "./Variables.ts"

const keys = ["upstream", "keys"]

/** The name of the key that variables make. */
const keyName = "environment"

export interface Overlay {
  /** The document with what the variables say, and without what is wrong of that. */
  readonly value: unknown
  readonly problems: ReadonlyArray<Problem.Problem>
  /** What cannot be relied on. */
  readonly broken: ReadonlyArray<Path.Path>
  readonly warnings: ReadonlyArray<Problem.Problem>
  /** Which variable said what is at a path. */
  readonly origins: ReadonlyMap<string, Problem.Place>
}

/**
 * Lays options over variables, and both over a document. `whole` is the document as it was written, `value` what is
 * left of it without what is wrong.
 */
export const over = (
  documents: { readonly whole: unknown; readonly value: unknown },
  sources: Sources
): Overlay => {
  const said = (name: string): string | undefined => value(name, sources)
  const place = (name: string): Problem.Place => placeOf(name, sources)
  const read = variables.flatMap((variable) => {
    const text = said(variable.name)
    if (text === undefined) return []
    const written = variable.written(text)
    return [{ ...variable, value: written, wrong: Decode.wrong(Path.set({}, variable.path, written)) }]
  })
  const problems = read.flatMap(({ expected, name, path, wrong }) =>
    wrong.map((finding) =>
      Problem.at(place(name), {
        ...finding,
        problem: Path.text(finding.path) === Path.text(path) ? expected ?? finding.problem : finding.problem
      })
    )
  )
  const sound = read.filter(({ wrong }) => wrong.length === 0)
  const laid = sound.reduce<Pick<Overlay, "value" | "origins">>(
    ({ origins, value }, variable) => ({
      value: lay(value, variable.path, variable.value),
      origins: new Map([...origins, ...leaves(variable.path, variable.value, place(variable.name))])
    }),
    { value: documents.value, origins: new Map() }
  )
  const key = environmentKey(documents.whole, laid.value, said, place)
  return {
    value: key.value,
    origins: new Map([...laid.origins, ...key.origins]),
    problems: [...problems, ...key.problems, ...unknown(documents.whole, sources.env)],
    broken: [...problems, ...key.problems].map(({ path }) => path),
    warnings: [...key.warnings, ...linked(sources)]
  }
}

/** A section that is said in part leaves the rest of it as it is. */
const lay = (document: unknown, path: Path.Path, value: unknown): unknown =>
  Path.isRecord(value) && !("env" in value)
    ? Object.entries(value).reduce<unknown>(
      (laid, [name, inner]) => Path.set(laid, [...path, name], inner),
      document
    )
    : Path.set(document, path, value)

const leaves = (
  path: Path.Path,
  value: unknown,
  place: Problem.Place
): ReadonlyArray<readonly [string, Problem.Place]> => [
  [Path.text(path), place] as const,
  ...(Path.isRecord(value) && !("env" in value)
    ? Object.keys(value).map((name) => [Path.text([...path, name]), place] as const)
    : [])
]

/** The key of the environment counts only where the document names none. */
const environmentKey = (
  whole: unknown,
  value: unknown,
  said: (name: string) => string | undefined,
  place: (name: string) => Problem.Place
): Omit<Overlay, "broken"> => {
  const none = { value, problems: [], warnings: [], origins: new Map<string, Problem.Place>() }
  const named = Path.get(whole, keys)
  const text = { secret: said(Names.apiKey), limit: said(Names.rateLimit) }
  if (Path.isRecord(named) || (Array.isArray(named) && named.length > 0)) {
    const unused = [
      ...(text.secret === undefined || references(named).has(Names.apiKey) ? [] : [Names.apiKey]),
      ...(text.limit === undefined ? [] : [Names.rateLimit])
    ]
    return {
      ...none,
      warnings: unused.map((name) =>
        Problem.at(
          place(name),
          Problem.finding(keys, "it is not used, because the file names keys under upstream.keys")
        )
      )
    }
  }
  if (text.secret === undefined) return none
  const at = [...keys, 0]
  const limit = text.limit === undefined ? {} : { limit: text.limit }
  const key = (more: object) => ({
    upstream: { keys: [{ name: keyName, secret: { env: Names.apiKey }, ...more }] }
  })
  const problems = Decode.wrong(key(limit))
  return {
    value: Path.set(value, keys, key(problems.length === 0 ? limit : {}).upstream.keys),
    problems: problems.map((finding) => Problem.at(place(Names.rateLimit), finding)),
    warnings: [],
    origins: new Map([
      [Path.text(at), place(Names.apiKey)],
      [Path.text([...at, "name"]), place(Names.apiKey)],
      [Path.text([...at, "secret"]), place(Names.apiKey)],
      ...(text.limit === undefined ? [] : [[Path.text([...at, "limit"]), place(Names.rateLimit)] as const])
    ])
  }
}

/** The variables that a document names as places of secrets. */
const references = (value: unknown): ReadonlySet<string> => {
  if (Array.isArray(value)) return new Set(value.flatMap((inner) => [...references(inner)]))
  if (!Path.isRecord(value)) return new Set()
  return new Set([
    ...(typeof value["env"] === "string" ? [value["env"]] : []),
    ...Object.values(value).flatMap((inner) => [...references(inner)])
  ])
}

const unknown = (whole: unknown, env: Variables): ReadonlyArray<Problem.Problem> => {
  const known: ReadonlyArray<string> = Object.values(own)
  const referred = references(whole)
  return Record.keys(env)
    .filter((name) =>
      name.startsWith("QUARRY_PROXY_") && !known.includes(name) && !referred.has(name) && !isLink(name, env)
    )
    .map((name) => ({
      ...Problem.at(
        { _tag: "Variable", name, option: null },
        Problem.finding([], "there is no such setting")
      ),
      suggestion: nearest(name, known)
    }))
}

/** An option says what was meant. */
const linked = (sources: Sources): ReadonlyArray<Problem.Problem> =>
  isLink(own.port, sources.env) && value(own.port, sources) === undefined
    ? [Problem.at(
      { _tag: "Variable", name: own.port, option: null },
      Problem.finding(
        ["listen", "port"],
        "Kubernetes set it for a service of this name, so it is not read; enableServiceLinks: false stops that"
      )
    )]
    : []
