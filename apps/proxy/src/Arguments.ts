/** The command line: options are settings in other words, so they only take the place of variables. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Either from "effect/Either"
import { parseArgs } from "node:util"

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
          ...(host === undefined ? [] : [["QUARRY_PROXY_HOST", host] as const]),
          ...(port === undefined ? [] : [["QUARRY_PROXY_PORT", port] as const]),
          ...(sandbox === true ? [["QUARRY_SANDBOX", "1"] as const] : [])
        ])
      )
    }))
  )

export const help = `quarry-proxy: the indexed-chain service inside your network

It serves the service's own paths of all three APIs on one address and brings the key, so clients only change
their base URL and need no key. /openapi.json describes the paths; / lists them.

Usage: quarry-proxy [options]

Options:
      --host HOST   where to listen (QUARRY_PROXY_HOST; 127.0.0.1)
  -p, --port PORT   which port (QUARRY_PROXY_PORT; 8650; 0 takes a free one)
      --sandbox     put the embedded service behind it: no account, no network (QUARRY_SANDBOX=1)
  -h, --help        show this

Settings (environment):
  QUARRY_API_KEY             the key that is sent to the service
  QUARRY_BASE_URL            address of the main API, with or without /api/v2.2
  QUARRY_STREAMS_URL         address of the streams API
  QUARRY_LEDGER_URL          address of the ledger API
  QUARRY_LEDGER_TESTNET_URL  address of the ledger's testnet, for requests with ?network=testnet
It starts with the addresses it has; requests that need another one are answered 503.

Examples:
  quarry-proxy --sandbox
  QUARRY_API_KEY=… QUARRY_BASE_URL=https://data.example.com quarry-proxy
  QUARRY_API_KEY=… QUARRY_BASE_URL=https://data.example.com quarry-proxy --host 0.0.0.0 --port 80
  curl 'http://127.0.0.1:8650/readyz'

Exit codes: 0 stopped (Ctrl-C, SIGTERM) · 1 it cannot listen, or failed · 2 an option or a setting is wrong
`
