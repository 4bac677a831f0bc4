/** The addresses of the service: which API is behind each, and the variable that sets it. */
import type { ApiName } from "@blockquarry/core/Operation"
import * as Names from "@blockquarry/http/Settings"
import type { UpstreamName } from "./Config.ts"

export const baseUrlSettings = {
  data: { api: "data", variable: Names.baseUrl },
  streams: { api: "streams", variable: Names.streamsUrl },
  ledger: { api: "ledger", variable: Names.ledgerUrl },
  ledgerTestnet: { api: "ledger", variable: Names.ledgerTestnetUrl }
} as const satisfies { readonly [A in UpstreamName]: { readonly api: ApiName; readonly variable: string } }
