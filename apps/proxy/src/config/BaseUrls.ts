/** The base URLs of the upstreams: the API that each one serves, and the environment variable that sets it. */
import type { ApiName } from "@blockquarry/core/Operation"
import * as Names from "@blockquarry/http/Settings"

/** The ledger API has one base URL per network. */
export const upstreamNames = ["data", "streams", "ledger", "ledgerTestnet"] as const

export type UpstreamName = (typeof upstreamNames)[number]

export const baseUrlSettings = {
  data: { api: "data", variable: Names.baseUrl },
  streams: { api: "streams", variable: Names.streamsUrl },
  ledger: { api: "ledger", variable: Names.ledgerUrl },
  ledgerTestnet: { api: "ledger", variable: Names.ledgerTestnetUrl }
} as const satisfies { readonly [Name in UpstreamName]: { readonly api: ApiName; readonly variable: string } }
