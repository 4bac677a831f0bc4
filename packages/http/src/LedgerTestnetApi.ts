/** The ledger API on the test network: transactions by hash. */
import { type LedgerOperations, ledgerOperations } from "@blockquarry/core/Operations"
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import * as Api from "./Api.ts"
import type { ApiClient, TestDoubles } from "./ApiClient.ts"
import type { ConfigOptions, OptionalKeyApiOptions } from "./ApiOptions.ts"

/** The client of the ledger API on the test network: one function for each operation. */
export interface LedgerTestnetApiService extends ApiClient<LedgerOperations> {}

/** The tag of the client of the ledger API on the test network. */
export class LedgerTestnetApi extends Api.Tag<LedgerTestnetApi>()("@blockquarry/http/LedgerTestnetApi", {
  operations: ledgerOperations,
  apiKey: "optional",
  baseUrlVariable: baseUrlSettings.ledgerTestnet.variable
}) {}

/** `Api.layer` of this API: from options. */
export const layer = (options: OptionalKeyApiOptions) => Api.layer(LedgerTestnetApi, options)

/** `Api.layerConfig` of this API. Its base URL is `QUARRY_LEDGER_TESTNET_URL`, its API key optional. */
export const layerConfig = (options?: ConfigOptions) => Api.layerConfig(LedgerTestnetApi, options)

/** `Api.layerTest` of this API: with test doubles of operations. */
export const layerTest = (doubles: TestDoubles<LedgerOperations>) => Api.layerTest(LedgerTestnetApi, doubles)
