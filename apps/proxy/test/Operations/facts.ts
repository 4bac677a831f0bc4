/** A request that went well, to be varied. */
import type { Facts } from "../../src/Facts.ts"

/** The start of a step. */
export const start = Date.UTC(2030, 0, 1)

export const facts = (differing: Partial<Facts> = {}): Facts => ({
  at: start,
  id: "id",
  client: "shop",
  method: "GET",
  route: "/api/v2.2/:address/erc20/transfers",
  operation: "walletTransfers",
  status: 200,
  code: null,
  cache: "miss",
  attempts: 1,
  cost: 50,
  saved: 0,
  shadowed: false,
  charged: 50,
  millis: 100,
  waited: 0,
  bytes: 1000,
  ...differing
})
