/** The command line: what to do, and options, which are settings in other words and take the place of variables. */
import * as Names from "@blockquarry/http/Settings"
import * as Either from "effect/Either"
import { parseArgs } from "node:util"
import { own, type Variables } from "./Config/Variables.ts"

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
  readonly given: Variables
}

const options = {
  config: { type: "string", short: "c" },
  host: { type: "string" },
  port: { type: "string", short: "p" },
  operations: { type: "string" },
  "open-to-everyone": { type: "boolean" },
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
          options,
          strict: true,
          allowPositionals: true
        }),
      catch: (error) =>
        error instanceof Error ? `${error.message.split(". ")[0]}` : "the options cannot be read"
    })
    const flag = (set: boolean | undefined) => set === true ? "1" : undefined
    const given = {
      [own.config]: values.config,
      [own.host]: values.host,
      [own.port]: values.port,
      [own.operations]: values.operations,
      [own.openToEveryone]: flag(values["open-to-everyone"]),
      [own.sandbox]: flag(values.sandbox)
    }
    if (values.help === true) return { command: { _tag: "Help" }, given }
    if (values.version === true) return { command: { _tag: "Version" }, given }
    return { command: yield* commandOf(positionals), given }
  })

const commands: ReadonlyMap<string, Command> = new Map([
  ["", { _tag: "Serve" }],
  ["serve", { _tag: "Serve" }],
  ["config check", { _tag: "CheckConfig" }],
  ["config print", { _tag: "PrintConfig" }],
  ["config example", { _tag: "ExampleConfig" }],
  ["help", { _tag: "Help" }]
])

const commandOf = (words: ReadonlyArray<string>): Either.Either<Command, string> => {
  const [first = "", client, ...rest] = words
  if (first === "token") {
    return client === undefined || rest.length > 0
      ? Either.left("token takes the name of a client, as in: quarry-proxy token indexer")
      : Either.right({ _tag: "NewToken", client })
  }
  return Either.fromNullable(
    commands.get(words.join(" ")),
    () =>
      `there is no command ${
        JSON.stringify(words.join(" "))
      }; there are serve, config check, config print, config example and token NAME`
  )
}

const row = (name: string, text: string): string => `  ${name.padEnd(28)} ${text}`

export const help = `quarry-proxy: the indexed-chain service inside your network

It serves the service's own paths of all three APIs on one address and brings the key, so clients only change
their base URL, and send a token of yours in place of the key. It keeps answers, counts budgets and stops no one who
may pass. /docs describes the paths; its status page is at http://127.0.0.1:8651.

Usage:
  quarry-proxy [serve] [options]
  quarry-proxy config check | print | example [--config FILE]
  quarry-proxy token NAME

Commands:
${row("serve", "answers requests until it is stopped (what it does without a command)")}
${row("config check", "reads the configuration and says everything that is wrong with it")}
${
  row(
    "config print",
    "the configuration that is in force, and where each setting comes from; without secrets"
  )
}
${row("config example", "a configuration with every setting, to begin with")}
${row("token NAME", "a new token for a client, and what to write into the configuration for it")}

Options:
${row("-c, --config FILE", `the configuration, in YAML (${own.config})`)}
${row("    --host HOST", `where to listen (${own.host}; 127.0.0.1)`)}
${row("-p, --port PORT", `which port (${own.port}; 8650; 0 takes a free one)`)}
${
  row(
    "    --operations HOST:PORT",
    `where the status page and metrics are, or off (${own.operations}; 127.0.0.1:8651)`
  )
}
${
  row(
    "    --open-to-everyone",
    `let in whoever reaches it, where there are no clients (${own.openToEveryone}=1)`
  )
}
${row("    --sandbox", `put the embedded service behind it: no account, no network (${own.sandbox}=1)`)}
${row("-h, --help", "show this")}
${row("-v, --version", "show the version")}

Settings (environment), in place of the same ones in the configuration:
${row(Names.apiKey, "the key that is sent to the service, where the configuration names none")}
${row(Names.baseUrl, "address of the main API, with or without /api/v2.2")}
${row(Names.streamsUrl, "address of the streams API")}
${row(Names.ledgerUrl, "address of the ledger API")}
${row(Names.ledgerTestnetUrl, "address of the ledger's testnet, for requests with ?network=testnet")}
${row(Names.rateLimit, "units per time that are sent with that key, as in 25/10s, or none (100/s)")}
${row(own.redis, "Redis, where several proxies share budgets and answers")}
${row("OTEL_EXPORTER_OTLP_ENDPOINT", "a collector for spans, metrics and the log")}
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
