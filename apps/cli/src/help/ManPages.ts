/** Formats manual pages (roff) from the help of commands. */
import {
  type CommandDescription,
  type CommandLineDescription,
  commandUsage,
  sharedOptions
} from "../args/CommandDescription.ts"
import { commandSections, environmentRows, exitStatus, optionSections, type Section } from "./Help.ts"

export interface ManPage {
  readonly file: string
  readonly text: string
}

/** Escapes a text: backslashes, hyphens, and characters that start a request. */
const escaped = (text: string): string =>
  text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&")

/** The titles that manual pages have by convention. */
const titles: Readonly<Record<string, string>> = { "Usage": "Synopsis", "Known issues": "Bugs" }

const formatSection = ({ lines = [], rows = [], text, title }: Section): string => {
  const body = [
    ...rows.map(([term, text]) => `.TP\n\\fB${escaped(term.trim())}\\fR\n${escaped(text)}\n`),
    // They are not filled
    ...lines.length === 0 ? [] : [".nf\n", ...lines.map((line) => `${escaped(line)}\n`), ".fi\n"],
    ...text === undefined ? [] : [`${escaped(text)}\n`]
  ].join("")
  const [name = ""] = (title ?? "").split(" (")
  return body === "" ? "" : `.SH ${(titles[name] ?? name).toUpperCase()}\n${body}`
}

const formatPage = (
  name: string,
  summary: string,
  sections: ReadonlyArray<Section>,
  seeAlso: ReadonlyArray<string>
): ManPage => ({
  file: `${name}.1`,
  text: [
    `.TH ${name.toUpperCase()} 1 "" quarry "Manual of quarry"\n`,
    formatSection({ title: "Name", text: `${name} - ${summary}` }),
    ...[...sections, { title: "Exit status", rows: exitStatus }].map(formatSection),
    `.SH SEE ALSO\n${seeAlso.map((name) => `.BR ${escaped(name)} (1)`).join(" ,\n")}\n`
  ].join("")
})

const pageName = ({ path }: CommandDescription): string => ["quarry", ...path].join("-")

/** Formats the page of a command, for example `quarry-wallet-transfers.1`. */
export const commandPage = (all: CommandLineDescription, command: CommandDescription): ManPage =>
  formatPage(pageName(command), command.summary, commandSections(all, command, true), ["quarry"])

const mainPage = (all: CommandLineDescription): ManPage =>
  formatPage("quarry", "query indexed blockchain data from the terminal and in scripts", [
    { title: "Usage", lines: ["quarry <command> [arguments] [options]"] },
    { title: "Commands", rows: all.commands.map((command) => [commandUsage(command), command.summary]) },
    ...optionSections(sharedOptions(all)),
    { title: "Environment", rows: environmentRows(all) }
  ], all.commands.map(pageName))

export const allPages = (all: CommandLineDescription): ReadonlyArray<ManPage> => [
  mainPage(all),
  ...all.commands.map((command) => commandPage(all, command))
]
