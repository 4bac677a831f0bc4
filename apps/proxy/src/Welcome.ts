/** What the proxy says when it is up: where it listens, what is behind it, and lines to try. */
import * as Names from "@blockquarry/http/Settings"
import type { Examples } from "@blockquarry/sandbox/Ledger"
import type { Service, Settings } from "./Config.ts"

/** The address to type, for a host that may stand for every address of the machine. */
const origin = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/** Requests that work when pasted: those of the sandbox answer from its ledger. */
const samples = (at: string, examples: Examples | undefined): ReadonlyArray<string> => {
  const data = `${at}/api/v2.2`
  if (examples === undefined) {
    return [
      `curl '${at}/readyz'`,
      `curl '${data}/erc20/0xdac17f958d2ee523a2206206994597c13d831ec7/price?chain=eth'`
    ]
  }
  const { collection721, stream, token, tokenId721, transaction, wallet } = examples
  return [
    `curl '${data}/${wallet}/erc20/transfers?chain=eth&limit=2'`,
    `curl '${data}/wallets/${wallet}/chains'`,
    `curl '${data}/erc20/${token}/price?chain=eth&include=percent_change'`,
    `curl '${data}/erc20/${token}/owners?chain=eth&limit=3'`,
    `curl '${data}/nft/${collection721}/${tokenId721}?chain=eth&normalizeMetadata=true'`,
    `curl '${at}/transactions/by_hash/${transaction}'`,
    `curl -X POST -H 'content-type: application/json' -d '{"status":"paused"}' '${at}/streams/evm/${stream}/status'`
  ]
}

const behind = (sandbox: boolean, { addresses, apiKey }: Service): ReadonlyArray<string> => {
  if (sandbox) return ["behind it: the embedded service, the same at every start; no account, no network"]
  const set = Object.entries(addresses).map(([name, address]) =>
    `  ${name.padEnd(25)} ${address ?? "not set"}`
  )
  return [
    "behind it:",
    ...set,
    `  ${Names.apiKey.padEnd(25)} ${apiKey === undefined ? "not set" : "set"}`
  ]
}

export const text = (
  { host, sandbox, service }: Settings,
  port: number,
  examples: Examples | undefined
): string => {
  const at = origin(host, port)
  return [
    `quarry-proxy listens at ${at}`,
    ...behind(sandbox, service),
    ...(loopback.test(host) || sandbox
      ? []
      : ["note: whoever reaches this address asks the service with your key, and may change your streams"]),
    "",
    "try:",
    ...samples(at, examples).map((line) => `  ${line}`),
    "",
    `${at}/openapi.json describes every path. Ctrl-C stops.`,
    ""
  ].join("\n")
}
