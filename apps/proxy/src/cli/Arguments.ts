/** The command line: commands, and options that override environment variables. */
import * as Names from "@blockquarry/http/Settings"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import { proxyVariables, type VariableValues } from "../config/EnvironmentVariables.ts"
import { closestName } from "../config/Suggestions.ts"
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

const optionDefinitions = {
  config: { type: "string", short: "c" },
  host: { type: "string" },
  port: { type: "string", short: "p" },
  admin: { type: "string" },
  "allow-anonymous": { type: "boolean" },
  sandbox: { type: "boolean" },
  connect: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" }
} as const

/** Parses the arguments, or returns the message of the first error. */
export const parse = (args: ReadonlyArray<string>): Either.Either<Arguments, string> =>
  Either.gen(function*() {
    const { positionals, values } = yield* Either.try({
      // Package managers pass on the `--` that ends their own options.
      try: () =>
        parseArgs({
          args: args[0] === "--" ? args.slice(1) : [...args],
          options: optionDefinitions,
          strict: true,
          allowPositionals: true
        }),
      catch: (error) => error instanceof Error ? describeParseError(error) : "invalid options"
    })
    const flagValue = (isSet: boolean | undefined) => isSet === true ? "1" : undefined
    const optionValues = {
      [proxyVariables.config]: values.config,
      [proxyVariables.host]: values.host,
      [proxyVariables.port]: values.port,
      [proxyVariables.admin]: values.admin,
      [proxyVariables.allowAnonymous]: flagValue(values["allow-anonymous"]),
      [proxyVariables.sandbox]: flagValue(values.sandbox)
    }
    if (values.help === true) return { command: { _tag: "Help" }, optionValues }
    if (values.version === true) return { command: { _tag: "Version" }, optionValues }
    const command = yield* parseCommand(positionals)
    if (values.connect !== true) return { command, optionValues }
    if (command._tag !== "CheckConfig") yield* Either.left("--connect: expected the command config check")
    return { command: { _tag: "CheckConfig", connect: true }, optionValues }
  })

/** Returns the first sentence, and the option that may have been meant. */
const describeParseError = ({ message }: Error): string => {
  const [, name = ""] = /^Unknown option '--([^']+)'/.exec(message) ?? []
  const suggestion = closestName(name, Object.keys(optionDefinitions))
  return `${message.split(". ")[0]}${suggestion === undefined ? "" : `; did you mean --${suggestion}?`}`
}

const commands: ReadonlyMap<string, Command> = new Map([
  ["", { _tag: "Serve" }],
  ["serve", { _tag: "Serve" }],
  ["config check", { _tag: "CheckConfig", connect: false }],
  ["config print", { _tag: "PrintConfig" }],
  ["config example", { _tag: "ExampleConfig" }],
  ["help", { _tag: "Help" }]
])

const isName: (text: string) => boolean = Schema.is(Values.Name)

const parseCommand = (positionals: ReadonlyArray<string>): Either.Either<Command, string> => {
  const [name = "", client, ...rest] = positionals
  if (name === "token") {
    if (client === undefined || rest.length > 0) {
      return Either.left("token: expected a client name, for example: quarry-proxy token indexer")
    }
    // The configuration accepts no other names.
    return isName(client)
      ? Either.right({ _tag: "NewToken", client })
      : Either.left(`token: expected ${Values.nameDescription}, got ${JSON.stringify(client.slice(0, 80))}`)
  }
  return Either.fromNullable(
    commands.get(positionals.join(" ")),
    () =>
      `unknown command ${
        JSON.stringify(positionals.join(" "))
      }; expected serve, config check, config print, config example or token NAME`
  )
}

const helpRow = (name: string, text: string): string => `  ${name.padEnd(28)} ${text}`

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
${helpRow("-c, --config FILE", `Configuration file in YAML (${proxyVariables.config})`)}
${helpRow("    --host HOST", `Address to listen on (${proxyVariables.host}; default: 127.0.0.1)`)}
${helpRow("-p, --port PORT", `Port; 0 selects a free one (${proxyVariables.port}; default: 8650)`)}
${
  helpRow(
    "    --admin HOST:PORT",
    `Admin listener (status page, metrics), or off (${proxyVariables.admin}; default: 127.0.0.1:8651)`
  )
}
${
  helpRow(
    "    --allow-anonymous",
    `Allow a non-loopback address without clients (${proxyVariables.allowAnonymous}=1)`
  )
}
${
  helpRow(
    "    --sandbox",
    `Use the embedded sandbox as upstream: synthetic data, no account, no network (${proxyVariables.sandbox}=1)`
  )
}
${helpRow("    --connect", "With config check: try Redis too, for at most 2 s")}
${helpRow("-h, --help", "Show this help")}
${helpRow("-v, --version", "Show the version")}

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
