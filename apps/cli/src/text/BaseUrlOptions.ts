/** Base URLs, with the environment variables that the options override. */
import { baseUrlSettings, upstreamNames } from "@blockquarry/core/Upstreams"

export const baseUrlOptions = upstreamNames.map((upstream) => {
  const { api, variable } = baseUrlSettings[upstream]
  return {
    upstream,
    api,
    variable,
    name: variable.slice("QUARRY_".length).toLowerCase().replaceAll("_", "-"),
    description: `Base URL of the ${api} API${upstream === "ledgerTestnet" ? " for the testnet" : ""}`
  }
})
