/** The addresses of the service: which API is behind each, and the variable that sets it. */
import type { Api } from "@blockquarry/core/Operation"
import * as Names from "@blockquarry/http/Settings"
import type { AddressName } from "./Config/Config.ts"

export const addresses = {
  data: { api: "data", setting: Names.baseUrl },
  streams: { api: "streams", setting: Names.streamsUrl },
  ledger: { api: "ledger", setting: Names.ledgerUrl },
  ledgerTestnet: { api: "ledger", setting: Names.ledgerTestnetUrl }
} as const satisfies { readonly [A in AddressName]: { readonly api: Api; readonly setting: string } }
