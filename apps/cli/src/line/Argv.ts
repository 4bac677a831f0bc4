/**
 * The command line as it was written, sorted: which command, which options, which arguments.
 *
 * Options may stand anywhere, before the command's words, between its arguments and after them. What is mistyped is
 * named here, with what was probably meant, because from here on everything is known to exist.
 */
import * as Either from "effect/Either"
import { Usage } from "../Failure.ts"
import type { Entry, OptionSpec } from "./Entry.ts"
import { completions, globals, help, version } from "./Globals.ts"
import { nearest } from "./Suggest.ts"

/** What the command line asks for. */
export type Request =
  | { readonly _tag: "Version" }
  /** Help on everything, on a group, or on a command. */
  | { readonly _tag: "Help"; readonly group: string | null; readonly entry: Entry | null }
  | { readonly _tag: "Completions"; readonly shell: string }
  /** `line` is what was written in one order: words, options, `--`, arguments. */
  | { readonly _tag: "Run"; readonly entry: Entry; readonly line: ReadonlyArray<string> }

/** Spellings that somebody tries who looks for an option with the key. The value is never repeated. */
const keyLike = /^--?(?:x-)?(?:api[-_]?)?(?:key|token|secret|password|auth|authorization)(?:$|=)/i

interface Sorted {
  readonly words: ReadonlyArray<string>
  readonly options: ReadonlyArray<readonly [spec: OptionSpec, value: string]>
  readonly unknown: ReadonlyArray<string>
}

const asked = [help, version, completions]

/** What was written, as a request; a left says what is wrong and what would be right. */
export const sort = (
  entries: ReadonlyArray<Entry>,
  argv: ReadonlyArray<string>
): Either.Either<Request, Usage> =>
  Either.gen(function*() {
    const every = [...globals, ...asked, ...entries.flatMap(({ options }) => options)]
    const { options, unknown, words } = yield* scan(every, argv)
    const has = (spec: OptionSpec) =>
      options.find(([{ name }, value]) => name === spec.name && value !== "false")
    if (has(version)) return { _tag: "Version" }
    const script = has(completions)
    if (script !== undefined) return yield* shell(script[1])
    const wantsHelp = has(help) !== undefined || words[0] === "help" || words.length === 0
    const { entry, group, rest } = yield* find(
      entries,
      words[0] === "help" ? words.slice(1) : words,
      wantsHelp
    )
    const [mistyped] = unknown
    if (mistyped !== undefined) return yield* Either.left(unknownOption(mistyped, entry, every))
    if (wantsHelp || entry === null) return { _tag: "Help", group, entry }
    yield* belongs(entry, options)
    yield* count(entry, rest)
    return { _tag: "Run", entry, line: inOrder(entry, options, rest) }
  })

const scan = (every: ReadonlyArray<OptionSpec>, argv: ReadonlyArray<string>): Either.Either<Sorted, Usage> =>
  Either.gen(function*() {
    const words: Array<string> = []
    const options: Array<readonly [OptionSpec, string]> = []
    const unknown: Array<string> = []
    for (let index = 0; index < argv.length; index++) {
      const token = argv[index] ?? ""
      if (token === "--") {
        words.push(...argv.slice(index + 1))
        break
      }
      if (!/^-./.test(token)) {
        words.push(token)
        continue
      }
      if (keyLike.test(token)) return yield* Either.left(keyOption)
      const found = match(every, token)
      if (found === undefined) {
        unknown.push(token)
        continue
      }
      const { spec, value } = found
      const next = argv[index + 1]
      if (value !== undefined) options.push([spec, spec.value === null ? yield* toggle(spec, value) : value])
      else if (spec.value === null) {
        const written = next === "true" || next === "false"
        if (written) index++
        options.push([spec, written ? next : "true"])
      } else if (next === undefined || match(every, next) !== undefined) {
        return yield* Either.left(noValue(spec))
      } else {
        index++
        options.push([spec, next])
      }
    }
    return { words, options, unknown }
  })

/** The option that a token names, with the value that is written into the same token. */
const match = (
  every: ReadonlyArray<OptionSpec>,
  token: string
): { readonly spec: OptionSpec; readonly value: string | undefined } | undefined => {
  const [, long, longValue] = /^--([^=]+)(?:=(.*))?$/s.exec(token) ?? []
  if (long !== undefined) {
    const spec = every.find(({ name }) => name === long)
    if (spec !== undefined) return { spec, value: longValue }
    const negated = every.find(({ name, value }) => value === null && `no-${name}` === long)
    return negated === undefined || longValue !== undefined ? undefined : { spec: negated, value: "false" }
  }
  const [, letter, rest] = /^-([A-Za-z])=?(.*)$/s.exec(token) ?? []
  const spec = every.find(({ alias }) => alias !== undefined && alias === letter)
  return spec === undefined || (spec.value === null && rest !== "")
    ? undefined
    : { spec, value: rest === "" ? undefined : rest }
}

const toggle = (spec: OptionSpec, value: string): Either.Either<string, Usage> =>
  value === "true" || value === "false"
    ? Either.right(value)
    : Either.left(
      new Usage({ problem: `--${spec.name} is on or off`, hint: `write --${spec.name} or --no-${spec.name}` })
    )

const keyOption = new Usage({
  problem: "no option takes the API key: other users and the shell's history see command lines",
  hint: "set the environment variable QUARRY_API_KEY instead"
})

const noValue = (spec: OptionSpec): Usage =>
  new Usage({ problem: `--${spec.name} needs a value`, hint: `write --${spec.name} <${spec.value}>` })

const shell = (name: string): Either.Either<Request, Usage> =>
  completions.choices?.includes(name) === true
    ? Either.right({ _tag: "Completions", shell: name })
    : Either.left(new Usage({ problem: "--completions: expected bash, fish or zsh", hint: null }))

interface Found {
  readonly entry: Entry | null
  readonly group: string | null
  readonly rest: ReadonlyArray<string>
}

/** The command that the words name. A group alone is a question about it, unless one command stands for the group. */
const find = (
  entries: ReadonlyArray<Entry>,
  words: ReadonlyArray<string>,
  wantsHelp: boolean
): Either.Either<Found, Usage> => {
  const [group, name, ...rest] = words
  if (group === undefined) return Either.right({ entry: null, group: null, rest: [] })
  const members = entries.filter((entry) => entry.words[0] === group)
  const [only] = members
  if (only === undefined) return Either.left(unknownCommand(entries, words))
  if (name === undefined) {
    const stands = members.length === 1 && (wantsHelp || only.arguments.length === 0)
    return Either.right({ entry: stands ? only : null, group, rest: [] })
  }
  const entry = members.find((member) => member.words[1] === name)
  if (entry !== undefined) return Either.right({ entry, group, rest })
  const names = members.map((member) => member.words[1])
  const meant = nearest(name, names)
  return Either.left(
    new Usage({
      problem: `quarry ${group} has no command ${JSON.stringify(name)}`,
      hint: meant === undefined ? `it has ${names.join(", ")}` : `did you mean quarry ${group} ${meant}?`
    })
  )
}

const unknownCommand = (entries: ReadonlyArray<Entry>, [group = "", name]: ReadonlyArray<string>): Usage => {
  const groups = [...new Set(entries.map((entry) => entry.words[0]))]
  const meant = nearest(group, groups)
  const named = entries.find((entry) => entry.words[1] === group)
  const whole = meant !== undefined
    ? `quarry ${meant}${
      entries.some(({ words }) => words[0] === meant && words[1] === name) ? ` ${name}` : ""
    }`
    : named === undefined
    ? undefined
    : `quarry ${named.words.join(" ")}`
  return new Usage({
    problem: `there is no command ${JSON.stringify(group)}`,
    hint: whole === undefined
      ? `the commands are ${groups.join(", ")}; see quarry --help`
      : `did you mean ${whole}?`
  })
}

const unknownOption = (token: string, entry: Entry | null, every: ReadonlyArray<OptionSpec>): Usage => {
  const written = token.replace(/=.*$/s, "")
  const known = entry === null ? every : [...entry.options, ...globals, ...asked]
  const meant = nearest(written, known.map(({ name }) => `--${name}`))
  return new Usage({
    problem: `there is no option ${written}`,
    hint: meant === undefined ? null : `did you mean ${meant}?`
  })
}

/** Whether the command has the options, and each of them as often as it takes it. */
const belongs = (entry: Entry, options: Sorted["options"]): Either.Either<void, Usage> => {
  const own = [...entry.options, ...globals]
  const seen = new Set<string>()
  for (const [{ name }] of options) {
    const spec = own.find((one) => one.name === name)
    if (spec === undefined) {
      return Either.left(
        new Usage({ problem: `quarry ${entry.words.join(" ")} has no option --${name}`, hint: null })
      )
    }
    if (seen.has(name) && spec.many !== true) {
      return Either.left(new Usage({ problem: `--${name} was given more than once`, hint: "give it once" }))
    }
    seen.add(name)
  }
  return Either.void
}

const count = (entry: Entry, rest: ReadonlyArray<string>): Either.Either<void, Usage> => {
  const usage = `write quarry ${
    [...entry.words, ...entry.arguments.map(({ name }) => `<${name}>`)].join(" ")
  }`
  const missing = entry.arguments[rest.length]
  if (missing !== undefined) {
    return Either.left(
      new Usage({ problem: `<${missing.name}> is missing: ${missing.description}`, hint: usage })
    )
  }
  const surplus = rest[entry.arguments.length]
  return surplus === undefined
    ? Either.void
    : Either.left(new Usage({ problem: `one argument too many: ${JSON.stringify(surplus)}`, hint: usage }))
}

const inOrder = (
  entry: Entry,
  options: Sorted["options"],
  rest: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...entry.words,
  ...options.flatMap(([{ name }, value]) => [`--${name}`, value]),
  ...(rest.length === 0 ? [] : ["--", ...rest])
]
