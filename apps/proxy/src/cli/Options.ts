/** The descriptors of the options. Parser, help and suggestions follow from them. */
import * as Descriptors from "@blockquarry/command-line/Descriptors"
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"
import { optionOf, proxyVariables } from "../config/EnvironmentVariables.ts"

/** What help says about an option that overrides a variable. */
const overriding = (variable: string, description: string, standard?: string): string =>
  `${description} (${variable}${standard === undefined ? "" : `; default: ${standard}`})`

/** An option with a value that overrides a variable. */
const textOf = (
  variable: string,
  value: string,
  description: string,
  { alias, standard }: { readonly alias?: string; readonly standard?: string } = {}
) =>
  Descriptors.text(optionOf(variable).slice(2), value, overriding(variable, description, standard), alias)
    .pipe(
      Options.optional,
      Options.map((text) => [variable, Option.getOrUndefined(text)] as const)
    )

/** A switch that overrides a variable. */
const flagOf = (variable: string, description: string) =>
  Descriptors.flag(optionOf(variable).slice(2), overriding(`${variable}=1`, description)).pipe(
    Options.map((isSet) => [variable, isSet ? "1" : undefined] as const)
  )

/** A parameter of the report of usage. */
const usageOption = (name: string, value: string, description: string) =>
  Descriptors.text(name, value, `With usage: ${description}`).pipe(
    Options.optional,
    Options.map(Option.map((text) => [name, text] as const))
  )

const { admin, allowAnonymous, config, host, port, sandbox } = proxyVariables

/** The options in the order of help. */
export const options = Options.all({
  overrides: Options.all([
    textOf(config, "FILE", "Configuration file in YAML", { alias: "c" }),
    textOf(host, "HOST", "Address to listen on", { standard: "127.0.0.1" }),
    textOf(port, "PORT", "Port; 0 selects a free one", { alias: "p", standard: "8650" }),
    textOf(admin, "HOST:PORT", "Admin listener (status page, metrics), or off", {
      standard: "127.0.0.1:8651"
    }),
    flagOf(allowAnonymous, "Allow a non-loopback address without clients"),
    flagOf(sandbox, "Use the embedded sandbox as upstream: synthetic data, no account, no network")
  ]),
  connect: Descriptors.flag("connect", "With config check: try Redis too, for at most 2 s"),
  query: Options.all([
    usageOption("from", "DAY", "first day in UTC (default: the first of this month)"),
    usageOption("to", "DAY", "last day in UTC (default: today)"),
    usageOption("by", "NAMES", "day, team, client, operation, key, by commas (default: client)"),
    usageOption("format", "FORMAT", "table, csv or json (default: table)")
  ]),
  // Answered before the command line is parsed
  help: Descriptors.flag("help", "Show this help", "h"),
  version: Descriptors.flag("version", "Show the version", "v")
})
