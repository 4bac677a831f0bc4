/** Shell commands with example requests, for the startup banner and the status page. */
import type { LedgerExamples } from "@blockquarry/sandbox/Ledger"
import { allowsAnonymousClients, type Config } from "../../config/Config.ts"

/** Returns an origin to connect to. Replaces a wildcard address with the loopback address. */
export const displayOrigin = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

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
