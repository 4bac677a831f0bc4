/** The command line: what to do, and options, which are settings in other words and take the place of variables. */
import * as Names from "@blockquarry/http/Settings"
import * as Either from "effect/Either"
import { parseArgs } from "node:util"
import { proxyVariables, type VariableValues } from "../config/EnvironmentVariables.ts"

type Command =
  | { readonly _tag: "Serve" }
  | { readonly _tag: "CheckConfig" }
  | { readonly _tag: "PrintConfig" }
  | { readonly _tag: "ExampleConfig" }
  | { readonly _tag: "NewToken"; readonly client: string }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }

export interface Arguments {
  readonly command: Command
  /** The settings that the options stand for, by the names of their variables. */
  readonly optionValues: VariableValues
}

const optionDefinitions = {
  config: { type: "string", short: "c" },
  host: { type: "string" },
  port: { type: "string", short: "p" },
  admin: { type: "string" },
  "allow-anonymous": { type: "boolean" },
  sandbox: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" }
} as const

/** Reads the arguments, or says which one is wrong. */
export const parse = (args: ReadonlyArray<string>): Either.Either<Arguments, string> =>
  Either.gen(function*() {
    const { positionals, values } = yield* Either.try({
      // Package managers hand over the `--` that ends their own options.
      try: () =>
        parseArgs({
          args: args[0] === "--" ? args.slice(1) : [...args],
          options: optionDefinitions,
          strict: true,
          allowPositionals: true
        }),
      catch: (error) =>
        error instanceof Error ? `${error.message.split(". ")[0]}` : "the options cannot be read"
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
    return { command: yield* parseCommand(positionals), optionValues }
  })

const commands: ReadonlyMap<string, Command> = new Map([
  ["", { _tag: "Serve" }],
  ["serve", { _tag: "Serve" }],
  ["config check", { _tag: "CheckConfig" }],
  ["config print", { _tag: "PrintConfig" }],
  ["config example", { _tag: "ExampleConfig" }],
  ["help", { _tag: "Help" }]
])

const parseCommand = (positionals: ReadonlyArray<string>): Either.Either<Command, string> => {
  const [name = "", client, ...rest] = positionals
  if (name === "token") {
    return client === undefined || rest.length > 0
      ? Either.left("token takes the name of a client, as in: quarry-proxy token indexer")
      : Either.right({ _tag: "NewToken", client })
  }
  return Either.fromNullable(
    commands.get(positionals.join(" ")),
    () =>
      `there is no command ${
        JSON.stringify(positionals.join(" "))
      }; there are serve, config check, config print, config example and token NAME`
  )
}

const helpRow = (name: string, text: string): string => `  ${name.padEnd(28)} ${text}`

export const help = `quarry-proxy: the indexed-chain service inside your network

It serves the service's own paths of all three APIs on one address and brings the key, so clients only change
their base URL, and send a token of yours in place of the key. It keeps answers, counts budgets and stops no one who
may pass. /docs describes the paths; its status page is at http://127.0.0.1:8651.

Usage:
  quarry-proxy [serve] [options]
  quarry-proxy config check | print | example [--config FILE]
  quarry-proxy token NAME

Commands:
${helpRow("serve", "answers requests until it is stopped (what it does without a command)")}
${helpRow("config check", "reads the configuration and says everything that is wrong with it")}
${
  helpRow(
    "config print",
    "the configuration that is in force, and where each setting comes from; without secrets"
  )
}
${helpRow("config example", "a configuration with every setting, to begin with")}
${helpRow("token NAME", "a new token for a client, and what to write into the configuration for it")}

Options:
${helpRow("-c, --config FILE", `the configuration, in YAML (${proxyVariables.config})`)}
${helpRow("    --host HOST", `where to listen (${proxyVariables.host}; 127.0.0.1)`)}
${helpRow("-p, --port PORT", `which port (${proxyVariables.port}; 8650; 0 takes a free one)`)}
${
  helpRow(
    "    --admin HOST:PORT",
    `where the status page and metrics are, or off (${proxyVariables.admin}; 127.0.0.1:8651)`
  )
}
${
  helpRow(
    "    --allow-anonymous",
    `let in whoever reaches it, where there are no clients (${proxyVariables.allowAnonymous}=1)`
  )
}
${
  helpRow(
    "    --sandbox",
    `put the embedded service behind it: no account, no network (${proxyVariables.sandbox}=1)`
  )
}
${helpRow("-h, --help", "show this")}
${helpRow("-v, --version", "show the version")}

Settings (environment), in place of the same ones in the configuration:
${helpRow(Names.apiKey, "the key that is sent to the service, where the configuration names none")}
${helpRow(Names.baseUrl, "address of the main API, with or without /api/v2.2")}
${helpRow(Names.streamsUrl, "address of the streams API")}
${helpRow(Names.ledgerUrl, "address of the ledger API")}
${helpRow(Names.ledgerTestnetUrl, "address of the ledger's testnet, for requests with ?network=testnet")}
${helpRow(Names.rateLimit, "units per time that are sent with that key, as in 25/10s, or none (100/s)")}
${helpRow(proxyVariables.redis, "Redis, where several proxies share budgets and answers")}
${helpRow("OTEL_EXPORTER_OTLP_ENDPOINT", "a collector for spans, metrics and the log")}
It starts with the addresses it has; requests that need another one are answered 503. SIGHUP, or a change of the file,
has it read the configuration again.

Examples:
  quarry-proxy --sandbox
  ${Names.apiKey}=… ${Names.baseUrl}=https://data.example.com quarry-proxy
  quarry-proxy config example > quarry-proxy.yaml && quarry-proxy token indexer
  quarry-proxy --config quarry-proxy.yaml --host 0.0.0.0
  curl -H 'X-API-Key: qp_…' 'http://127.0.0.1:8650/api/v2.2/erc20/0x…/price?chain=eth'

Exit codes: 0 stopped (Ctrl-C, SIGTERM) · 1 it cannot listen, or failed · 2 an option or a setting is wrong
`
