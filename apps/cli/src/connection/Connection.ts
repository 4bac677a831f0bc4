/** The upstreams of operations: the base URL that the settings have, and what identifies their services. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { UpstreamName } from "@blockquarry/core/Upstreams"
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import { type ArgumentValues, singleValue } from "../args/ArgumentValues.ts"
import { networkOption } from "../args/GlobalOptions.ts"
import type { CommandSettings } from "../config/Configuration.ts"
import { baseUrlOption } from "../text/BaseUrlOptions.ts"

export const userAgent = `quarry ${ApiOptions.userAgent}`

/** What a request needs of an operation; a request that none describes has it as well. */
export type RequestedOperation = Pick<AnyOperation, "api" | "id" | "parameters">

export const configuredBaseUrl = (
  upstream: UpstreamName,
  { configuration }: CommandSettings
): string | undefined => configuration.values.get(baseUrlOption(upstream).name)?.value

/**
 * Returns the origin of the service of an operation, without credentials: lists of different services are different.
 * The sandbox has none.
 */
export const serviceOf = (
  operation: Pick<AnyOperation, "api">,
  { settings, values }: { readonly settings: CommandSettings; readonly values: ArgumentValues }
): { readonly service?: string } => {
  const baseUrl = configuredBaseUrl(upstreamOf(operation, values), settings)
  return settings.isSandbox || baseUrl === undefined ? {} : { service: new URL(baseUrl).origin }
}

/** Returns the upstream of an operation. `--network` selects between those of the ledger API. */
export const upstreamOf = ({ api }: Pick<AnyOperation, "api">, values: ArgumentValues): UpstreamName =>
  api === "ledger" && singleValue(values, networkOption.name) === "testnet" ? "ledgerTestnet" : api
