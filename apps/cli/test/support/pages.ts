/** Pages of lists, and failures between them, without a network. */
import { NetworkError } from "@blockquarry/core/OperationError"
import type { RecordPage } from "../../src/list/RecordList.ts"

export const request = {
  operation: "walletTransfers",
  request: { method: "GET", path: "/transfers" },
  api: "data"
} as const

export const refused = new NetworkError({
  ...request,
  host: "localhost:1",
  reason: "ECONNREFUSED",
  sent: false,
  mayHaveBeenApplied: false
})

export const pageOf = <Item>(
  items: ReadonlyArray<Item>,
  cursor: string | null | undefined,
  total: number | null = null
): RecordPage<Item> => {
  const end = { cursor, previous: [] }
  return {
    rows: items.map((item) => ({ item, record: () => ({}), after: () => end })),
    end,
    total,
    note: null,
    isStart: true,
    leftOut: 0,
    unidentified: 0,
    invalid: []
  }
}
