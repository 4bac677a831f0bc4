/** The command line: commands, and options that override environment variables. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import * as Names from "@blockquarry/http/Settings"
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as CommandDirective from "@effect/cli/CommandDirective"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import { optionOf, proxyVariables, type VariableValues } from "../config/EnvironmentVariables.ts"
import * as Values from "../config/ValueSchemas.ts"

type Command =
  | { readonly _tag: "Serve" }
  | { readonly _tag: "CheckConfig"; readonly connect: boolean }
  | { readonly _tag: "PrintConfig" }
  | { readonly _tag: "ExampleConfig" }
  | { readonly _tag: "NewToken"; readonly client: string }
  | {
    readonly _tag: "Usage"
    readonly query: ReadonlyArray<readonly [name: string, value: string]>
  }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }

export interface Arguments {
  readonly command: Command
  /** The values of options, by the names of the variables that they override. */
  readonly optionValues: VariableValues
}

interface OptionRow {
  readonly name: string
  readonly alias?: string
  /** What help calls the value. A switch has none. */
  readonly value?: string
  /** The variable that the option overrides. */
  readonly variable?: string
  readonly standard?: string
  readonly text: string
}

/** An option that overrides a variable. */
const overriding = (variable: string, row: Omit<OptionRow, "name" | "variable">): OptionRow => ({
  name: optionOf(variable).slice(2),
  variable,
  ...row
})

const { admin, allowAnonymous, config, host, port, sandbox } = proxyVariables

/** The options in the order of help. */
const rows: ReadonlyArray<OptionRow> = [
  overriding(config, { alias: "c", value: "FILE", text: "Configuration file in YAML" }),
  overriding(host, { value: "HOST", text: "Address to listen on", standard: "127.0.0.1" }),
  overriding(port, { alias: "p", value: "PORT", text: "Port; 0 selects a free one", standard: "8650" }),
  overriding(admin, {
    value: "HOST:PORT",
    text: "Admin listener (status page, metrics), or off",
    standard: "127.0.0.1:8651"
  }),
  overriding(allowAnonymous, { text: "Allow a non-loopback address without clients" }),
  overriding(sandbox, {
    text: "Use the embedded sandbox as upstream: synthetic data, no account, no network"
  }),
  { name: "connect", text: "With config check: try Redis too, for at most 2 s" },
  { name: "from", value: "DAY", text: "With usage: first day in UTC (default: the first of this month)" },
  { name: "to", value: "DAY", text: "With usage: last day in UTC (default: today)" },
  {
    name: "by",
    value: "NAMES",
    text: "With usage: day, team, client, operation, key, by commas (default: client)"
  },
  { name: "format", value: "FORMAT", text: "With usage: table, csv or json (default: table)" },
  // Help and version are answered before the command line is parsed
  { name: "help", alias: "h", text: "Show this help" },
  { name: "version", alias: "v", text: "Show the version" }
]

/** The values of the options by their names; that of a switch is 1. */
const options = Options.all(
  rows.map(({ name, value }) =>
    value === undefined
      ? Options.map(Options.boolean(name), (isSet) => [name, isSet ? "1" : undefined] as const)
      : Options.map(Options.optional(Options.text(name)), (text) =>
        [name, Option.getOrUndefined(text)] as const)
  )
).pipe(Options.map((entries) => new Map(entries)))

const isName: (text: string) => boolean = Schema.is(Values.Name)

const namedCommand = (name: string, command: Command) =>
  CommandDescriptor.make(name).pipe(CommandDescriptor.map(() => Option.some(command)))

const configCommand = CommandDescriptor.make("config").pipe(
  CommandDescriptor.withSubcommands([
    ["check", namedCommand("check", { _tag: "CheckConfig", connect: false })],
    ["print", namedCommand("print", { _tag: "PrintConfig" })],
    ["example", namedCommand("example", { _tag: "ExampleConfig" })]
  ]),
  CommandDescriptor.map(({ subcommand }) => Option.flatMap(subcommand, ([, command]) => command))
)

const tokenCommand = CommandDescriptor.make("token", Options.none, Args.text({ name: "NAME" })).pipe(
  CommandDescriptor.map(({ args: client }) => Option.some<Command>({ _tag: "NewToken", client }))
)

const program = CommandDescriptor.make("quarry-proxy", options).pipe(
  CommandDescriptor.withSubcommands([
    ["serve", namedCommand("serve", { _tag: "Serve" })],
    ["config", configCommand],
    ["token", tokenCommand],
    ["usage", namedCommand("usage", { _tag: "Usage", query: [] })],
    ["help", namedCommand("help", { _tag: "Help" })]
  ])
)

/** Separates options, which may be anywhere, from the words of the command. Fails with the message of the first error. */
const readWords = (args: ReadonlyArray<string>) =>
  Effect.try({
    try: () =>
      parseArgs({
        // Package managers pass on the `--` that ends their own options
        args: args[0] === "--" ? args.slice(1) : [...args],
        options: Object.fromEntries(rows.map(({ alias, name, value }) => [name, {
          type: value === undefined ? "boolean" as const : "string" as const,
          ...alias === undefined ? {} : { short: alias }
        }])),
        strict: true,
        allowPositionals: true
      }),
    catch: (error) => error instanceof Error ? describeParseError(error) : "invalid options"
  })

/** Returns the first sentence, and the option that may have been meant. */
const describeParseError = ({ message }: Error): string => {
  const [, name = ""] = /^Unknown option '--([^']+)'/.exec(message) ?? []
  const suggestion = closestMatch(name, rows.map(({ name }) => name))
  return `${message.split(". ")[0]}${suggestion === undefined ? "" : `; did you mean --${suggestion}?`}`
}

const withoutOptions = (command: Command): Arguments => ({ command, optionValues: {} })

export const parse = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { positionals, values } = yield* readWords(args)
    if (values["help"] === true) return withoutOptions({ _tag: "Help" })
    if (values["version"] === true) return withoutOptions({ _tag: "Version" })
    // The parser takes options before commands. With "=", it takes no value for a command
    const words = Object.entries(values).map(([name, value]) => `--${name}=${value}`)
    const { options, command } = yield* CommandDescriptor.parse(
      program,
      ["quarry-proxy", ...words, ...positionals],
      CliConfig.make({ isCaseSensitive: true })
    ).pipe(
      Effect.filterOrFail(CommandDirective.isUserDefined),
      Effect.filterOrFail(({ leftover }) => leftover.length === 0),
      Effect.flatMap(({ value: { options, subcommand } }) =>
        Option.match(subcommand, {
          onNone: () => Option.some<Command>({ _tag: "Serve" }),
          onSome: ([, command]) => command
        }).pipe(Option.map((command) => ({ options, command })))
      ),
      Effect.orElseFail(() => unknownCommand(positionals))
    )
    // The configuration accepts no other names
    if (command._tag === "NewToken" && !isName(command.client)) {
      const got = JSON.stringify(command.client.slice(0, 80))
      return yield* Effect.fail(`token: expected ${Values.nameDescription}, got ${got}`)
    }
    const connect = options.get("connect") !== undefined
    if (connect && command._tag !== "CheckConfig") {
      return yield* Effect.fail("--connect: expected the command config check")
    }
    const query = ["from", "to", "by", "format"].flatMap((name) => {
      const value = options.get(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    if (query[0] !== undefined && command._tag !== "Usage") {
      return yield* Effect.fail(`--${query[0][0]}: expected the command usage`)
    }
    const overrides = rows.flatMap(({ name, variable }) =>
      variable === undefined ? [] : [[variable, options.get(name)] as const]
    )
    return {
      command: command._tag === "CheckConfig"
        ? { ...command, connect }
        : command._tag === "Usage"
        ? { ...command, query }
        : command,
      optionValues: Object.fromEntries(overrides)
    }
  })

const unknownCommand = (positionals: ReadonlyArray<string>): string =>
  `unknown command ${
    JSON.stringify(positionals.join(" "))
  }; expected serve, config check, config print, config example, usage or token NAME`

const helpRow = (name: string, text: string): string => `  ${name.padEnd(28)} ${text}`

const optionRow = ({ alias, name, standard, text, value, variable }: OptionRow): string => {
  const names = `${alias === undefined ? "    " : `-${alias}, `}--${name}`
  const setting = value === undefined ? `${variable}=1` : variable
  const details = [setting, ...standard === undefined ? [] : [`default: ${standard}`]].join("; ")
  return helpRow(
    value === undefined ? names : `${names} ${value}`,
    variable === undefined ? text : `${text} (${details})`
  )
}

export const help = `quarry-proxy: caching proxy for indexed blockchain data APIs

Serves the upstream paths of all three APIs on one origin and adds the API key. Clients only change their base URL,
and send a token of the proxy instead of the API key. The proxy caches responses and enforces quotas per client.
The paths are documented at /docs. A link to the status page is printed at startup.

Usage:
  quarry-proxy [serve] [options]
  quarry-proxy config check | print | example [--config FILE]
  quarry-proxy token NAME
  quarry-proxy usage [--from DAY] [--to DAY] [--by NAMES] [--format FORMAT] [--config FILE]

Commands:
${helpRow("serve", "Run the proxy (default)")}
${helpRow("config check", "Validate the configuration")}
${helpRow("config print", "Print the effective configuration and the source of each value, without secrets")}
${helpRow("config example", "Print a commented example with every key")}
${helpRow("token NAME", "Create a token for a client or an operator, and print its configuration")}
${helpRow("usage", "Print the saved usage of a fleet, or of the file of this machine")}

Options:
${rows.map(optionRow).join("\n")}

Environment:
${helpRow(Names.apiKey, "API key of the upstream, if the file has no upstream.keys")}
${helpRow(Names.rateLimit, "Rate limit of that key, for example 25/10s, or none (default: 100/s)")}
${helpRow(baseUrlSettings.data.variable, "Base URL of the data API, with or without /api/v2.2")}
${helpRow(baseUrlSettings.streams.variable, "Base URL of the streams API")}
${helpRow(baseUrlSettings.ledger.variable, "Base URL of the ledger API")}
${
  helpRow(
    baseUrlSettings.ledgerTestnet.variable,
    "Base URL of the ledger testnet API (requests with ?network=testnet)"
  )
}
${helpRow(proxyVariables.redis, "URL of Redis, to share quotas and cache between several proxies")}
${helpRow("OTEL_EXPORTER_OTLP_ENDPOINT", "OpenTelemetry collector for spans, metrics and logs")}
Options override variables, and variables override the file. Requests to an API without a base URL fail with 503.
The proxy reloads its configuration on SIGHUP and when a file changes.

Examples:
  quarry-proxy --sandbox
  ${Names.apiKey}=… ${baseUrlSettings.data.variable}=https://data.example.com quarry-proxy
  quarry-proxy config example > quarry-proxy.yaml && quarry-proxy token indexer
  quarry-proxy --config quarry-proxy.yaml --host 0.0.0.0
  quarry-proxy usage --config quarry-proxy.yaml --from 2026-11-01 --by team,operation
  curl -H 'X-API-Key: qp_…' 'http://127.0.0.1:8650/api/v2.2/erc20/0x…/price?chain=eth'

Exit status: 0 stopped (Ctrl-C, SIGTERM) · 1 unexpected error, or cannot listen · 2 invalid option or configuration,
or a Redis that cannot be used
`
