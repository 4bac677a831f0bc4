/** The command line: commands, and options that override environment variables. */
import { closestMatch } from "@blockquarry/core/Suggestion"
import * as Names from "@blockquarry/http/Settings"
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as CommandDirective from "@effect/cli/CommandDirective"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import type * as Usage from "@effect/cli/Usage"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import { proxyVariables, type VariableValues } from "../config/EnvironmentVariables.ts"
import * as Values from "../config/ValueSchemas.ts"

type Command =
  | { readonly _tag: "Serve" }
  | { readonly _tag: "CheckConfig"; readonly connect: boolean }
  | { readonly _tag: "PrintConfig" }
  | { readonly _tag: "ExampleConfig" }
  | { readonly _tag: "NewToken"; readonly client: string }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }

export interface Arguments {
  readonly command: Command
  /** The values of options, by the names of the variables that they override. */
  readonly optionValues: VariableValues
}

const textOption = (name: string, valueName: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(valueName),
    Options.withDescription(description),
    Options.optional,
    Options.map(Option.getOrUndefined)
  )

const switchOption = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

/** The options in the order of help. */
const options = {
  config: textOption("config", "FILE", `Configuration file in YAML (${proxyVariables.config})`).pipe(
    Options.withAlias("c")
  ),
  host: textOption("host", "HOST", `Address to listen on (${proxyVariables.host}; default: 127.0.0.1)`),
  port: textOption("port", "PORT", `Port; 0 selects a free one (${proxyVariables.port}; default: 8650)`).pipe(
    Options.withAlias("p")
  ),
  admin: textOption(
    "admin",
    "HOST:PORT",
    `Admin listener (status page, metrics), or off (${proxyVariables.admin}; default: 127.0.0.1:8651)`
  ),
  allowAnonymous: switchOption(
    "allow-anonymous",
    `Allow a non-loopback address without clients (${proxyVariables.allowAnonymous}=1)`
  ),
  sandbox: switchOption(
    "sandbox",
    `Use the embedded sandbox as upstream: synthetic data, no account, no network (${proxyVariables.sandbox}=1)`
  ),
  connect: switchOption("connect", "With config check: try Redis too, for at most 2 s"),
  /** Help and version are answered before the command line is parsed. */
  help: switchOption("help", "Show this help").pipe(Options.withAlias("h")),
  version: switchOption("version", "Show the version").pipe(Options.withAlias("v"))
}

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

const tokenCommand = CommandDescriptor.make(
  "token",
  Options.none,
  Args.text({ name: "NAME" }).pipe(
    // The configuration accepts no other names
    Args.mapEffect((client) =>
      isName(client) ? Effect.succeed(client) : Effect.fail(HelpDoc.p(
        `token: expected ${Values.nameDescription}, got ${JSON.stringify(client.slice(0, 80))}`
      ))
    )
  )
).pipe(CommandDescriptor.map(({ args: client }) => Option.some<Command>({ _tag: "NewToken", client })))

const program = CommandDescriptor.make("quarry-proxy", Options.all(options)).pipe(
  CommandDescriptor.withSubcommands([
    ["serve", namedCommand("serve", { _tag: "Serve" })],
    ["config", configCommand],
    ["token", tokenCommand],
    ["help", namedCommand("help", { _tag: "Help" })]
  ])
)

/** What the parser would ask for options that are files or prompts. There are none. */
const unused = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(
    Terminal.Terminal,
    Terminal.Terminal.of({
      columns: Effect.succeed(0),
      rows: Effect.succeed(0),
      isTTY: Effect.succeed(false),
      readInput: Effect.dieMessage("no option is a prompt"),
      readLine: Effect.dieMessage("no option is a prompt"),
      display: () => Effect.dieMessage("no option is a prompt")
    })
  )
)

interface OptionUsage {
  readonly name: string
  readonly alias: string | undefined
  /** Null for a switch. */
  readonly valueName: string | null
  readonly description: string
}

const namesIn = (usage: Usage.Usage): Usage.Named => {
  if (usage._tag === "Optional") return namesIn(usage.usage)
  if (usage._tag === "Named") return usage
  throw new Error(`an option has the usage ${usage._tag}`)
}

const paragraphsOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  switch (doc._tag) {
    case "Paragraph":
      return doc.value._tag === "Text" ? [doc.value.value] : []
    case "Sequence":
      return [...paragraphsOf(doc.left), ...paragraphsOf(doc.right)]
    case "DescriptionList":
      return doc.definitions.flatMap(([, definition]) => paragraphsOf(definition))
    default:
      return []
  }
}

const optionUsages = Object.values(options).map((option): OptionUsage => {
  const { acceptedValues, names } = namesIn(Options.getUsage<unknown>(option))
  return {
    name: names.find((name) => name.startsWith("--"))?.slice(2) ?? "",
    alias: names.find((name) => !name.startsWith("--"))?.slice(1),
    valueName: Option.getOrNull(acceptedValues),
    // After what the type says
    description: paragraphsOf(Options.getHelp<unknown>(option))[1] ?? ""
  }
})

/** Separates options, which may be anywhere, from the words of the command. Fails with the message of the first error. */
const readWords = (args: ReadonlyArray<string>) =>
  Effect.try({
    try: () =>
      parseArgs({
        // Package managers pass on the `--` that ends their own options
        args: args[0] === "--" ? args.slice(1) : [...args],
        options: Object.fromEntries(optionUsages.map(({ alias, name, valueName }) => [name, {
          type: valueName === null ? "boolean" as const : "string" as const,
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
  const suggestion = closestMatch(name, optionUsages.map(({ name }) => name))
  return `${message.split(". ")[0]}${suggestion === undefined ? "" : `; did you mean --${suggestion}?`}`
}

const withoutOptions = (command: Command): Arguments => ({ command, optionValues: {} })

export const parse = (args: ReadonlyArray<string>): Effect.Effect<Arguments, string> =>
  Effect.gen(function*() {
    const { positionals, values } = yield* readWords(args)
    if (values["help"] === true) return withoutOptions({ _tag: "Help" })
    if (values["version"] === true) return withoutOptions({ _tag: "Version" })
    // The parser takes options before commands. With "=", it takes no value for a command
    const words = Object.entries(values).map(([name, value]) => `--${name}=${value}`)
    const directive = yield* CommandDescriptor.parse(
      program,
      ["quarry-proxy", ...words, ...positionals],
      CliConfig.make({ isCaseSensitive: true })
    ).pipe(
      Effect.mapError(({ _tag, error }) =>
        _tag === "InvalidArgument" ? paragraphsOf(error).join(" ") : unknownCommand(positionals)
      )
    )
    if (!CommandDirective.isUserDefined(directive) || directive.leftover.length > 0) {
      return yield* Effect.fail(unknownCommand(positionals))
    }
    const { options: { admin, allowAnonymous, config, connect, host, port, sandbox }, subcommand } =
      directive.value
    const command = yield* Option.match(subcommand, {
      onNone: () => Option.some<Command>({ _tag: "Serve" }),
      onSome: ([, command]) => command
    }).pipe(Effect.mapError(() => unknownCommand(positionals)))
    if (connect && command._tag !== "CheckConfig") {
      return yield* Effect.fail("--connect: expected the command config check")
    }
    return {
      command: command._tag === "CheckConfig" ? { ...command, connect } : command,
      optionValues: {
        [proxyVariables.config]: config,
        [proxyVariables.host]: host,
        [proxyVariables.port]: port,
        [proxyVariables.admin]: admin,
        [proxyVariables.allowAnonymous]: allowAnonymous ? "1" : undefined,
        [proxyVariables.sandbox]: sandbox ? "1" : undefined
      }
    }
  }).pipe(Effect.provide(unused))

const unknownCommand = (positionals: ReadonlyArray<string>): string =>
  positionals[0] === "token"
    ? "token: expected a client name, for example: quarry-proxy token indexer"
    : `unknown command ${
      JSON.stringify(positionals.join(" "))
    }; expected serve, config check, config print, config example or token NAME`

const helpRow = (name: string, text: string): string => `  ${name.padEnd(28)} ${text}`

const optionRow = ({ alias, description, name, valueName }: OptionUsage): string =>
  helpRow(
    `${alias === undefined ? "    " : `-${alias}, `}--${name}${valueName === null ? "" : ` ${valueName}`}`,
    description
  )

export const help = `quarry-proxy: caching proxy for indexed blockchain data APIs

Serves the upstream paths of all three APIs on one origin and adds the API key. Clients only change their base URL,
and send a token of the proxy instead of the API key. The proxy caches responses and enforces quotas per client.
The paths are documented at /docs. A link to the status page is printed at startup.

Usage:
  quarry-proxy [serve] [options]
  quarry-proxy config check | print | example [--config FILE]
  quarry-proxy token NAME

Commands:
${helpRow("serve", "Run the proxy (default)")}
${helpRow("config check", "Validate the configuration")}
${helpRow("config print", "Print the effective configuration and the source of each value, without secrets")}
${helpRow("config example", "Print a commented example with every key")}
${helpRow("token NAME", "Create a token for a client or an operator, and print its configuration")}

Options:
${optionUsages.map(optionRow).join("\n")}

Environment:
${helpRow(Names.apiKey, "API key of the upstream, if the file has no upstream.keys")}
${helpRow(Names.rateLimit, "Rate limit of that key, for example 25/10s, or none (default: 100/s)")}
${helpRow(Names.baseUrl, "Base URL of the data API, with or without /api/v2.2")}
${helpRow(Names.streamsUrl, "Base URL of the streams API")}
${helpRow(Names.ledgerUrl, "Base URL of the ledger API")}
${helpRow(Names.ledgerTestnetUrl, "Base URL of the ledger testnet API (requests with ?network=testnet)")}
${helpRow(proxyVariables.redis, "URL of Redis, to share quotas and cache between several proxies")}
${helpRow("OTEL_EXPORTER_OTLP_ENDPOINT", "OpenTelemetry collector for spans, metrics and logs")}
Options override variables, and variables override the file. Requests to an API without a base URL fail with 503.
The proxy reloads its configuration on SIGHUP and when a file changes.

Examples:
  quarry-proxy --sandbox
  ${Names.apiKey}=… ${Names.baseUrl}=https://data.example.com quarry-proxy
  quarry-proxy config example > quarry-proxy.yaml && quarry-proxy token indexer
  quarry-proxy --config quarry-proxy.yaml --host 0.0.0.0
  curl -H 'X-API-Key: qp_…' 'http://127.0.0.1:8650/api/v2.2/erc20/0x…/price?chain=eth'

Exit status: 0 stopped (Ctrl-C, SIGTERM) · 1 unexpected error, or cannot listen · 2 invalid option or configuration,
or a Redis that cannot be used
`
