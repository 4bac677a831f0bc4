/** Formats manual pages (roff) from the descriptions of commands. */
import {
  argumentLabel,
  type CommandDescription,
  type CommandLineDescription,
  commandUsage,
  type OptionDescription,
  optionLabel,
  optionsOf,
  sharedOptions
} from "../args/CommandDescription.ts"
import { environmentRows, exampleLines, exitStatus, groupedOptions } from "./Help.ts"

export interface ManPage {
  readonly file: string
  readonly text: string
}

/** Escapes a text: backslashes, hyphens, and characters that start a request. */
const escaped = (text: string): string =>
  text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&")

const section = (title: string, body: string): string =>
  body === "" ? "" : `.SH ${title.toUpperCase()}\n${body}`

const paragraph = (text: string | undefined): string => text === undefined ? "" : `${escaped(text)}\n`

const terms = (rows: ReadonlyArray<readonly [term: string, text: string]>): string =>
  rows.map(([term, text]) => `.TP\n\\fB${escaped(term)}\\fR\n${escaped(text)}\n`).join("")

const optionTerms = (options: ReadonlyArray<OptionDescription>): string =>
  terms(options.map((option) => [
    `${option.alias === undefined ? "" : `-${option.alias}, `}${optionLabel(option)}`,
    option.description
  ]))

const optionSections = (options: ReadonlyArray<OptionDescription>): string =>
  groupedOptions(options).map((group) => section(group.title, optionTerms(group.options))).join("")

/** Formats command lines. They are not filled. */
const examples = (lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `.nf\n${lines.map((line) => `${escaped(line)}\n`).join("")}.fi\n`

const pageName = ({ path }: CommandDescription): string => ["quarry", ...path].join("-")

const titleLine = (name: string): string => `.TH ${name.toUpperCase()} 1 "" quarry "Manual of quarry"\n`

const seeAlso = (names: ReadonlyArray<string>): string =>
  section("See also", `${names.map((name) => `.BR ${escaped(name)} (1)`).join(" ,\n")}\n`)

/** Formats the page of a command, for example `quarry-wallet-transfers.1`. */
export const commandPage = (all: CommandLineDescription, command: CommandDescription): ManPage => {
  const name = pageName(command)
  return {
    file: `${name}.1`,
    text: [
      titleLine(name),
      section("Name", `${escaped(name)} \\- ${escaped(command.summary)}\n`),
      section("Synopsis", `.B ${escaped(`quarry ${commandUsage(command)}`)}\n[options]\n`),
      section("Examples", examples(exampleLines(command))),
      section("Arguments", terms(command.arguments.map((spec) => [argumentLabel(spec), spec.description]))),
      optionSections(optionsOf(all, command)),
      section("Notes", paragraph(command.note)),
      section("Bugs", paragraph(command.knownIssue)),
      section("Exit status", terms(exitStatus)),
      seeAlso(["quarry"])
    ].join("")
  }
}

const mainPage = (all: CommandLineDescription): ManPage => ({
  file: "quarry.1",
  text: [
    titleLine("quarry"),
    section("Name", "quarry \\- query indexed blockchain data from the terminal and in scripts\n"),
    section("Synopsis", ".B quarry\n<command> [arguments] [options]\n"),
    section("Commands", terms(all.commands.map((command) => [commandUsage(command), command.summary]))),
    optionSections(sharedOptions(all)),
    section("Environment", terms(environmentRows(all))),
    section("Exit status", terms(exitStatus)),
    seeAlso(all.commands.map(pageName))
  ].join("")
})

export const allPages = (all: CommandLineDescription): ReadonlyArray<ManPage> => [
  mainPage(all),
  ...all.commands.map((command) => commandPage(all, command))
]
