/** What the proxy says when it is up: where it listens, what is behind it, who may ask, and lines to try. */
import type { Examples } from "@blockquarry/sandbox/Ledger"
import { type Config, isLoopback, isOpen } from "./Config/Config.ts"

/** The address to type, for a host that may stand for every address of the machine. */
const origin = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

/** Requests that work when pasted: those of the sandbox answer from its ledger. */
export const tries = (
  { clients, listen }: Pick<Config, "clients" | "listen">,
  port: number,
  examples: Examples | undefined
): ReadonlyArray<string> => {
  const at = origin(listen.host, port)
  const data = `${at}/api/v2.2`
  const curl = clients.length === 0 ? "curl" : "curl -H \"X-API-Key: $TOKEN\""
  if (examples === undefined) {
    return [
      `curl '${at}/readyz'`,
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
    `${curl} '${at}/transactions/by_hash/${transaction}'`,
    `${curl} '${at}/all/api/v2.2/${wallet}/erc20/transfers?chain=eth' | tail -n 2`,
    `${curl} -X POST -H 'content-type: application/json' -d '{"status":"paused"}' '${at}/streams/evm/${stream}/status'`
  ]
}

const behind = ({ addresses, keys, sandbox }: Config["upstream"]): ReadonlyArray<string> => {
  if (sandbox) return ["behind it: the embedded service, the same at every start; no account, no network"]
  const set = Object.entries(addresses).map(([name, address]) =>
    `  ${name.padEnd(14)} ${address ?? "not set"}`
  )
  const names = keys.map(({ name }) => name).join(", ")
  return ["behind it:", ...set, `  ${"keys".padEnd(14)} ${names === "" ? "not set" : names}`]
}

const admitted = (config: Config): string => {
  if (!isOpen(config)) return `clients: ${config.clients.map(({ name }) => name).join(", ")}`
  return isLoopback(config.listen.host)
    ? "clients: whoever is on this machine; no token is needed"
    : "clients: whoever reaches it; they ask with your key, and may change your streams"
}

const shared = ({ redis }: Config): string =>
  redis === null
    ? "budgets and answers: in this process alone; set redis.url to share them"
    : "budgets and answers: in Redis, shared"

export const text = (
  config: Config,
  ports: { readonly port: number; readonly operationsPort: number | null },
  examples: Examples | undefined
): string => {
  const { listen, operations, upstream } = config
  const at = origin(listen.host, ports.port)
  return [
    `quarry-proxy listens at ${at}`,
    ...behind(upstream),
    admitted(config),
    shared(config),
    "",
    "try:",
    ...tries(config, ports.port, examples).map((line) => `  ${line}`),
    "",
    `documentation: ${at}/docs`,
    ...(operations === null || ports.operationsPort === null
      ? []
      : [`status page:   ${origin(operations.host, ports.operationsPort)}`]),
    "Ctrl-C stops.",
    ""
  ].join("\n")
}
