/** The startup banner of a sandbox server. */
import type { Ledger } from "../Ledger.ts"
import type { SandboxUrls } from "../Sandbox.ts"

export const bannerLines = (
  { data, ledger, ledgerTestnet, streams }: SandboxUrls,
  examples: Ledger["examples"],
  apiKey: string
): ReadonlyArray<string> => {
  const api = `${data}/api/v2.2`
  const get = (url: string) => `  curl -s -H 'X-API-Key: ${apiKey}' '${url}'`
  return [
    "Blockquarry sandbox: synthetic data, no account required",
    "",
    `  data API      ${data}`,
    `  streams API   ${streams}`,
    `  ledger API    ${ledger} (testnet: ${ledgerTestnet})`,
    `  API key       ${apiKey}`,
    "",
    "Use it with quarry, for example `quarry wallet chains " + examples.wallet + "`:",
    "",
    `  ${exportLine({ data, ledger, ledgerTestnet, streams }, apiKey)}`,
    "",
    "Example requests:",
    "",
    get(`${api}/${examples.wallet}/erc20/transfers?chain=eth&limit=2`),
    get(`${api}/${examples.busyWallet}/erc20/transfers?chain=eth&limit=2`),
    get(`${api}/erc20/${examples.token}/transfers?limit=2`),
    get(`${api}/erc20/${examples.token}/owners?limit=2`),
    get(`${api}/erc20/${examples.token}/price?include=percent_change`),
    get(`${api}/nft/${examples.collection721}?limit=2`),
    get(`${api}/nft/${examples.collection721}/${examples.tokenId721}?normalizeMetadata=true`),
    get(`${api}/nft/${examples.collection1155}/${examples.tokenId1155}/owners`),
    get(`${api}/nft/${examples.unindexedCollection}?limit=2`),
    get(`${api}/wallets/${examples.wallet}/nfts/trades?limit=2`),
    get(`${api}/wallets/${examples.wallet}/chains`),
    get(`${ledger}/transactions/by_hash/${examples.transaction}`),
    `  curl -s -X POST -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' ` +
    `-d '{"status":"paused"}' '${streams}/streams/evm/${examples.stream}/status'`,
    "",
    "Inject a fault, for example:",
    "",
    `  curl -i -H 'X-API-Key: ${apiKey}' -H 'x-sandbox-fault: status=503;retry-after=2' ` +
    `'${api}/wallets/${examples.wallet}/chains'`
  ]
}

/** Returns a line for POSIX shells that sets the environment variables of quarry. */
const exportLine = ({ data, ledger, ledgerTestnet, streams }: SandboxUrls, apiKey: string): string => {
  const variables = {
    QUARRY_BASE_URL: data,
    QUARRY_STREAMS_URL: streams,
    QUARRY_LEDGER_URL: ledger,
    QUARRY_LEDGER_TESTNET_URL: ledgerTestnet,
    QUARRY_API_KEY: apiKey
  }
  // zsh takes the brackets of an IPv6 address for a pattern
  const quote = (value: string) => value.includes("[") ? `'${value}'` : value
  return `export ${Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`).join(" ")}`
}
