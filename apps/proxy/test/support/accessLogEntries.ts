/** Sample access log entries of a successful request. */
import type { AccessLogEntry } from "../../src/exchange/AccessLogEntry.ts"

/** The start of a step of the time series. */
export const stepStart = Date.UTC(2030, 0, 1)

export const accessLogEntry = (overrides: Partial<AccessLogEntry> = {}): AccessLogEntry => ({
  startedAt: stepStart,
  requestId: "id",
  client: "shop",
  clientAddress: "10.0.0.7",
  method: "GET",
  route: "/api/v2.2/:address/erc20/transfers",
  operation: "walletTransfers",
  status: 200,
  code: null,
  cache: "miss",
  attempts: 1,
  upstreamCost: 50,
  unsettledPrice: 0,
  priceDrift: 0,
  savedCost: 0,
  shadowed: false,
  chargedCost: 50,
  durationMs: 100,
  waitMs: 0,
  bytes: 1000,
  ...overrides
})
