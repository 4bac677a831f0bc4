/** Help: on everything, on a group of commands, on one command. Made from the same values that read the line. */
import type { ArgumentSpec, Entry, OptionSpec } from "./line/Entry.ts"
import { addresses, completions, globals, help, version } from "./line/Globals.ts"
import { padEnd, width } from "./render/Width.ts"
import { styled, type Surface } from "./Screen.ts"

/** Where the surface has no width of its own. */
const usualWidth = 100

/** What examples are about: all of it exists in the sandbox, so that every example can be tried there. */
export const things = {
  wallet: "0xba766b2113a53a5900c11859ceca38ca9918c6b4",
  token: "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993",
  collection: "0x88c1cfd05896cc1885ee3e58243025720a456f8b",
  unindexed: "0x29f01282fb1f46e11e01135f0570b4b39094d555",
  stream: "917803ca-37f1-492a-a927-beb8b2dab5d5",
  transaction: "0x15cc3458255c309c1d49bf3f987d905513b1508d7d213a2b8afad84ceb69d042"
} as const

const fillIn = (example: string): string =>
  Object.entries(things).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), example)

const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || width(last) + 1 + width(word) > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

type Row = readonly [term: string, text: string]

/** Terms on the left, what they mean on the right. */
const list = (rows: ReadonlyArray<Row>, surface: Surface): string => {
  const widest = Math.min(30, Math.max(0, ...rows.map(([term]) => width(term))))
  const room = Math.max(24, (surface.columns ?? usualWidth) - widest - 4)
  return rows.map(([term, text]) => {
    const [first = "", ...more] = wrap(text, room)
    const indent = " ".repeat(widest + 4)
    const head = width(term) > widest ? `  ${term}\n${indent}${first}` : `  ${padEnd(term, widest)}  ${first}`
    return [head, ...more.map((line) => indent + line)].map((line) => `${line.trimEnd()}\n`).join("")
  }).join("")
}

const section = (title: string, body: string, surface: Surface): string =>
  body === "" ? "" : `\n${styled(surface, "bold", title)}\n${body}`

const offer = (choices: ReadonlyArray<string> | undefined): string =>
  choices === undefined || choices.length === 0 ? "" : ` (${choices.join(", ")})`

const optionRow = (spec: OptionSpec): Row => [
  `${spec.alias === undefined ? "    " : `-${spec.alias}, `}--${spec.name}${
    spec.value === null ? "" : ` <${spec.value}>`
  }`,
  `${spec.description}${offer(spec.choices)}${spec.many === true ? "; repeatable, or with commas" : ""}`
]

const argumentRow = (
  spec: ArgumentSpec
): Row => [`<${spec.name}>`, `${spec.description}${offer(spec.choices)}`]

const usage = (entry: Entry): string =>
  ["quarry", ...entry.words, ...entry.arguments.map(({ name }) => `<${name}>`), "[options]"].join(" ")

const commandRow = (entry: Entry): Row => [
  [...entry.words, ...entry.arguments.map(({ name }) => `<${name}>`)].join(" "),
  entry.summary
]

/** Options of every command, without the addresses that this one does not ask. */
const common = (entry: Entry): ReadonlyArray<OptionSpec> => {
  const foreign = new Set<string>(
    addresses.filter((address) => address.api !== entry.api).map(({ name }) => name)
  )
  return entry.operation === null ? [] : globals.filter(({ name }) => !foreign.has(name))
}

export const forEntry = (entry: Entry, surface: Surface): string => {
  const column = surface.columns ?? usualWidth
  const prose = (text: string) => wrap(text, column - 2).map((line) => `  ${line}\n`).join("")
  return [
    `${styled(surface, "bold", `quarry ${entry.words.join(" ")}`)}: ${entry.summary}\n`,
    section("Usage", `  ${usage(entry)}\n`, surface),
    section("Arguments", list(entry.arguments.map(argumentRow), surface), surface),
    section("Options", list(entry.options.map(optionRow), surface), surface),
    section("Options of every command", list([...common(entry), help].map(optionRow), surface), surface),
    section("Good to know", entry.note === undefined ? "" : prose(entry.note), surface),
    section("Known issue", entry.knownIssue === undefined ? "" : prose(entry.knownIssue), surface),
    section(
      entry.operation === null ? "Examples" : "Examples (with --sandbox they work without a key)",
      entry.examples.map((example) => `  ${`quarry ${entry.words.join(" ")} ${fillIn(example)}`.trimEnd()}\n`)
        .join(""),
      surface
    )
  ].join("")
}

export const forGroup = (entries: ReadonlyArray<Entry>, group: string, surface: Surface): string =>
  [
    `${styled(surface, "bold", `quarry ${group}`)}\n`,
    section(
      "Commands",
      list(entries.filter(({ words }) => words[0] === group).map(commandRow), surface),
      surface
    ),
    `\nquarry ${group} <command> --help says more.\n`
  ].join("")

export const forAll = (entries: ReadonlyArray<Entry>, surface: Surface): string =>
  [
    `${styled(surface, "bold", "quarry")}: indexed blockchain data at a terminal and in scripts\n`,
    section("Usage", "  quarry <command> [arguments] [options]\n", surface),
    section("Commands", list(entries.map(commandRow), surface), surface),
    section(
      "Options, anywhere on the line",
      list([...globals, completions, help, version].map(optionRow), surface),
      surface
    ),
    section(
      "Environment",
      list([
        ["QUARRY_API_KEY", "the API key; no option takes it"],
        ...addresses.map(({ description, setting }): Row => [setting, description]),
        ["QUARRY_RATE_LIMIT", "units per time, as in 25/10s, or none; 100/s where it is not set"],
        ["QUARRY_SANDBOX", "1 asks the sandbox"],
        ["NO_COLOR", "turns colours off"]
      ], surface),
      surface
    ),
    section(
      "Exit codes",
      "  0 done   1 unexpected   2 wrong usage or input   3 not found   4 key or plan   5 rate limit\n" +
        "  6 service failed   7 unreachable or timed out   130 interrupted\n",
      surface
    ),
    section(
      "Examples",
      `  quarry wallet chains ${fillIn("{wallet}")} --sandbox\n  quarry sandbox serve\n`,
      surface
    ),
    "\nquarry <command> --help says more about each.\n"
  ].join("")
