/** The upstreams: the APIs by base URL. The ledger API has one base URL for each network. */
import type { ApiName } from "./Operation.ts"

/** The names of the upstreams. */
export const upstreamNames = ["data", "streams", "ledger", "ledgerTestnet"] as const

/** The name of an upstream. */
export type UpstreamName = (typeof upstreamNames)[number]

/** The API that each upstream serves, and the environment variable with its base URL. */
export const baseUrlSettings: {
  readonly [Name in UpstreamName]: { readonly api: ApiName; readonly variable: string }
} = {
  data: { api: "data", variable: "QUARRY_BASE_URL" },
  streams: { api: "streams", variable: "QUARRY_STREAMS_URL" },
  ledger: { api: "ledger", variable: "QUARRY_LEDGER_URL" },
  ledgerTestnet: { api: "ledger", variable: "QUARRY_LEDGER_TESTNET_URL" }
}
