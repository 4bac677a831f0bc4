/** The command line: options are settings in other words, so they only take the place of variables. */
import * as Names from "@blockquarry/http/Settings"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Either from "effect/Either"
import { parseArgs } from "node:util"
import { own } from "./Config.ts"

export interface Arguments {
  readonly help: boolean
  /** The settings that the options stand for. */
  readonly given: ConfigProvider.ConfigProvider
}

const options = {
  host: { type: "string" },
  port: { type: "string", short: "p" },
  sandbox: { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const

/** Reads the arguments, or says which one is wrong. */
export const parse = (args: ReadonlyArray<string>): Either.Either<Arguments, string> =>
  Either.try({
    // Package managers hand over the `--` that ends their own options.
    try: () =>
      parseArgs({ args: args[0] === "--" ? args.slice(1) : [...args], options, strict: true }).values,
    catch: (error) =>
      error instanceof Error ? `${error.message.split(". ")[0]}` : "the options cannot be read"
  }).pipe(
    Either.map(({ help, host, port, sandbox }) => ({
      help: help === true,
      given: ConfigProvider.fromMap(
        new Map([
          ...(host === undefined ? [] : [[own.host, host] as const]),
          ...(port === undefined ? [] : [[own.port, port] as const]),
          ...(sandbox === true ? [[own.sandbox, "1"] as const] : [])
        ])
      )
    }))
  )

export const help = `quarry-proxy: the indexed-chain service inside your network

It serves the service's own paths of all three APIs on one address and brings the key, so clients only change
their base URL and need no key. /openapi.json describes the paths; / lists them.

Usage: quarry-proxy [options]

Options:
      --host HOST   where to listen (${own.host}; 127.0.0.1)
  -p, --port PORT   which port (${own.port}; 8650; 0 takes a free one)
      --sandbox     put the embedded service behind it: no account, no network (${own.sandbox}=1)
  -h, --help        show this

Settings (environment):
  ${Names.apiKey.padEnd(25)}  the key that is sent to the service
  ${Names.baseUrl.padEnd(25)}  address of the main API, with or without /api/v2.2
  ${Names.streamsUrl.padEnd(25)}  address of the streams API
  ${Names.ledgerUrl.padEnd(25)}  address of the ledger API
  ${Names.ledgerTestnetUrl.padEnd(25)}  address of the ledger's testnet, for requests with ?network=testnet
  ${Names.rateLimit.padEnd(25)}  units per time that are sent, as in 25/10s, or none (100/s)
It starts with the addresses it has; requests that need another one are answered 503.

Examples:
  quarry-proxy --sandbox
  ${Names.apiKey}=… ${Names.baseUrl}=https://data.example.com quarry-proxy
  ${Names.apiKey}=… ${Names.baseUrl}=https://data.example.com quarry-proxy --host 0.0.0.0 --port 80
  curl 'http://127.0.0.1:8650/readyz'

Exit codes: 0 stopped (Ctrl-C, SIGTERM) · 1 it cannot listen, or failed · 2 an option or a setting is wrong
`
