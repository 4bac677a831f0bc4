/** The ledger API on the main network: transactions by hash. */
import { type LedgerOperations, ledgerOperations } from "@blockquarry/core/Operations"
import * as Api from "./Api.ts"
import type { ApiClient, TestDoubles } from "./ApiClient.ts"
import type { ConfigOptions, OptionalKeyApiOptions } from "./ApiOptions.ts"

/** The client of the ledger API on the main network: one function for each operation. */
export interface LedgerApiService extends ApiClient<LedgerOperations> {}

/** The tag of the client of the ledger API on the main network. */
export class LedgerApi extends Api.Tag<LedgerApi>()("@blockquarry/http/LedgerApi", {
  operations: ledgerOperations,
  apiKey: "optional"
}) {}

/** `Api.layer` of this API: from options. */
export const layer = (options: OptionalKeyApiOptions) => Api.layer(LedgerApi, options)

/** `Api.layerConfig` of this API. Its base URL is `QUARRY_LEDGER_URL`, its API key optional. */
export const layerConfig = (options?: ConfigOptions) => Api.layerConfig(LedgerApi, options)

/** `Api.layerTest` of this API: with test doubles of operations. */
export const layerTest = (doubles: TestDoubles<LedgerOperations>) => Api.layerTest(LedgerApi, doubles)
