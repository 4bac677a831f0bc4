/** The client: one function for each operation, with promises and async iterators. */
import * as Calls from "./internal/Calls.ts"
import type { Operations } from "./Operations.ts"
import type { ClientOptions } from "./Options.ts"
import type { RequestFunction } from "./Request.ts"

/** A client of all APIs. */
export interface Client extends Operations, AsyncDisposable {
  /**
   * Sends a request that no operation describes.
   *
   * @example
   * import { createClient } from "@blockquarry/client"
   *
   * const client = createClient({ apiKey: "…", baseUrl: "https://…" })
   *
   * const netWorth = (address: string) =>
   *   client.request({ path: `/wallets/${address}/net-worth`, query: { chain: "eth" } })
   */
  readonly request: RequestFunction
  /**
   * Cancels all calls, which reject with `ClientClosedError`, and waits until they have ended. Later calls reject with the
   * same error. An open client does not keep a program running.
   */
  readonly close: () => Promise<void>
}

/**
 * Creates a client. Its calls share rate limits, cooldowns, circuit breakers and the cache, so a program needs one client
 * for each API key. Throws a `ConfigurationError` if an option is missing or invalid.
 *
 * @example
 * import { createClient } from "@blockquarry/client"
 *
 * const client = createClient({ apiKey: "…", baseUrl: "https://…" })
 *
 * const price = await client.tokenPrice({ address: "0x…", chain: "eth" })
 *
 * for await (const transfer of client.walletTransfers.items({ address: "0x…" }, { maxItems: 250 })) {
 *   console.log(transfer.block_number, transfer.value)
 * }
 */
export const createClient = (options: ClientOptions): Client => {
  const calls = Calls.make(options)
  const { close, operations, request } = calls
  const client: Client = { ...operations, request, close, [Symbol.asyncDispose]: close }
  // Where there is no `Symbol.asyncDispose`, its member has the name "undefined".
  Reflect.deleteProperty(client, "undefined")
  return client
}
