/** The options and the help of the command line. `scripts/buildTimeValue.mjs` computes them when the program is bundled. */
import { describeOptions, type OptionDescription } from "@blockquarry/command-line/Descriptors"
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import * as Names from "@blockquarry/http/gateway/Settings"
import { proxyVariables } from "../config/EnvironmentVariables.ts"
import { options } from "./Options.ts"

export const optionDescriptions: ReadonlyArray<OptionDescription> = describeOptions(options)

const helpRow = (name: string, text: string): string => `  ${name.padEnd(28)} ${text}`

const optionRow = ({ alias, description, name, value }: OptionDescription): string =>
  helpRow(
    `${alias === undefined ? "    " : `-${alias}, `}--${name}${value === null ? "" : ` ${value}`}`,
    description
  )

export const help = `quarry-proxy: caching proxy for indexed blockchain data APIs

Serves the upstream paths of all three APIs on one origin and adds the API key. Clients only change their base URL,
and send a token of the proxy instead of the API key. The proxy caches responses and enforces quotas per client.
The paths are described at /openapi.json. A link to the status page is printed at startup.

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
${optionDescriptions.map(optionRow).join("\n")}

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
  curl -H 'X-API-Key: qp_…' 'http://127.0.0.1:8650/api/v2.2/erc20/0x…/price?chain=eth'

Exit status: 0 stopped (Ctrl-C, SIGTERM) · 1 unexpected error, or cannot listen · 2 invalid option or configuration,
or a Redis that cannot be used
`
