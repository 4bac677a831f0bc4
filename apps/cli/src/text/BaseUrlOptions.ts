/** Base URLs, with the environment variables that the options override. */
import { baseUrlSettings, type UpstreamName, upstreamNames } from "@blockquarry/core/Upstreams"

export const baseUrlOption = (upstream: UpstreamName) => {
  const { api, variable } = baseUrlSettings[upstream]
  return {
    api,
    variable,
    name: variable.slice("QUARRY_".length).toLowerCase().replaceAll("_", "-"),
    description: `Base URL of the ${api} API${upstream === "ledgerTestnet" ? " for the testnet" : ""}`
  }
}

export const baseUrlOptions = upstreamNames.map(baseUrlOption)
