/** The startup banner: listeners, upstreams, clients, and commands to try. */
import type { LedgerExamples } from "@blockquarry/sandbox/Ledger"
import { allowsAnonymousClients, type Config, isLoopback } from "../config/Config.ts"
import { lacksBaseUrls, noBaseUrl } from "../config/CrossFieldChecks.ts"
import type { LoadedConfig } from "../config/Load.ts"

/** Returns an origin to connect to. Replaces a wildcard address with the loopback address. */
const displayOrigin = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

/** Returns shell commands with example requests. In sandbox mode they use synthetic data that exists. */
export const sampleCommands = (
  { clients, listen }: Pick<Config, "clients" | "listen">,
  port: number,
  examples: LedgerExamples | undefined
): ReadonlyArray<string> => {
  const baseUrl = displayOrigin(listen.host, port)
  const data = `${baseUrl}/api/v2.2`
  const curl = allowsAnonymousClients({ clients }) ? "curl" : "curl -H \"X-API-Key: $TOKEN\""
  if (examples === undefined) {
    return [
      `curl '${baseUrl}/readyz'`,
      `${curl} '${data}/erc20/0xdac17f958d2ee523a2206206994597c13d831ec7/price?chain=eth'`
    ]
  }
  const { collection721, stream, token, tokenId721, transaction, wallet } = examples
  return [
    `${curl} '${data}/${wallet}/erc20/transfers?chain=eth&limit=2'`,
    `${curl} '${data}/wallets/${wallet}/chains'`,
    `${curl} '${data}/erc20/${token}/price?chain=eth&include=percent_change'`,
    `${curl} '${data}/erc20/${token}/owners?chain=eth&limit=3'`,
    `${curl} '${data}/nft/${collection721}/${tokenId721}?chain=eth&normalizeMetadata=true'`,
    `${curl} '${baseUrl}/transactions/by_hash/${transaction}'`,
    `${curl} '${baseUrl}/all/api/v2.2/${wallet}/erc20/transfers?chain=eth' | tail -n 2`,
    `${curl} -X POST -H 'content-type: application/json' -d '{"status":"paused"}' '${baseUrl}/streams/evm/${stream}/status'`
  ]
}

const upstreamLines = (config: Config): ReadonlyArray<string> => {
  const { baseUrls, keys, sandbox } = config.upstream
  if (sandbox) return ["upstream: embedded sandbox (synthetic data)"]
  const baseUrlLines = Object.entries(baseUrls).map(([name, baseUrl]) =>
    `  ${name.padEnd(14)} ${baseUrl ?? "not set"}`
  )
  const names = keys.map(({ name }) => name).join(", ")
  const heading = lacksBaseUrls(config) ? `upstream: ${noBaseUrl}` : "upstream:"
  return [heading, ...baseUrlLines, `  ${"keys".padEnd(14)} ${names === "" ? "not set" : names}`]
}

const clientsLine = (config: Config): string => {
  if (!allowsAnonymousClients(config)) return `clients: ${config.clients.map(({ name }) => name).join(", ")}`
  return isLoopback(config.listen.host)
    ? "clients: anonymous, loopback only"
    : "clients: anonymous (allowAnonymous); everyone who can connect uses your API key"
}

const storeLine = ({ redis }: Config): string =>
  redis === null
    ? "quotas and cache: in memory; set redis.url to share them"
    : "quotas and cache: shared through Redis"

/** Says how to get access to the admin listener if there is no terminal to print a token on. */
export const adminTokenHint = ({ files: [file] }: Pick<LoadedConfig, "files">): string =>
  `the admin listener requires a token, and none is configured; create one with quarry-proxy token NAME, and add its hash to admin.tokens in ${
    file ?? "a configuration file (--config)"
  }. A token is printed at startup only on a terminal`

export const text = (
  config: Config,
  ports: { readonly port: number; readonly adminPort: number | null },
  generatedToken: string | null,
  examples: LedgerExamples | undefined
): string => {
  const { listen, admin } = config
  const baseUrl = displayOrigin(listen.host, ports.port)
  return [
    `quarry-proxy is listening at ${baseUrl}`,
    ...upstreamLines(config),
    clientsLine(config),
    storeLine(config),
    "",
    "try:",
    ...sampleCommands(config, ports.port, examples).map((line) => `  ${line}`),
    "",
    `docs:          ${baseUrl}/docs`,
    ...(admin === null || ports.adminPort === null
      ? []
      : [
        `status page:   ${displayOrigin(admin.host, ports.adminPort)}${
          generatedToken === null ? "" : `/#token=${generatedToken}`
        }`
      ]),
    "Press Ctrl-C to stop.",
    ""
  ].join("\n")
}
