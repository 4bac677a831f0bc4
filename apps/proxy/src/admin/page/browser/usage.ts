/** The panel of saved usage: sums of a month by client, team, operation, API key or day. */
import type { UsageRow } from "@blockquarry/redis/UsageStore"
import { h } from "./dom.ts"
import * as Format from "./formatting.ts"
import { choice, counts, makeTable, names } from "./table.ts"

const dimensions = ["client", "team", "operation", "key", "day"] as const

/** The last 13 months, newest first, such as `2026-11`. */
const months = (now: Date): ReadonlyArray<string> =>
  Array.from(
    { length: 13 },
    (_, back) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7)
  )

/** `get` reads a path of the admin listener. Returns a function that refreshes the panel. */
export const makeUsage = (get: (path: string) => Promise<Response>) => {
  const by = choice("Usage by", dimensions)
  const month = choice("Month", months(new Date()))
  const total = h("p.total")
  let dimension: typeof dimensions[number] = "client"
  const show = makeTable<UsageRow>(
    "usage",
    "Saved usage",
    [
      names("Name", (row) => row[dimension] || "–"),
      ...counts("requests", "attempts", "price", "unsettledPrice", "savedPrice", "failures")
    ],
    h("div.tools", month, by),
    total
  )
  const refresh = async (): Promise<void> => {
    dimension = dimensions.find((each) => each === by.value) ?? "client"
    const last = new Date(`${month.value}-01`)
    last.setUTCMonth(last.getUTCMonth() + 1, 0)
    const to = last.toISOString().slice(0, 10)
    const response = await get(`/usage?from=${month.value}-01&to=${to}&by=${dimension}`)
    // Usage is not saved.
    if (!response.ok) return show(null)
    const report: { readonly rows: ReadonlyArray<UsageRow>; readonly total: UsageRow } = await response.json()
    const { price, requests, savedPrice } = report.total
    total.textContent = `${Format.number(price)} units for ${Format.number(requests)} requests, ${
      Format.number(savedPrice)
    } units saved`
    show([...report.rows].sort((one, other) => other.price - one.price))
  }
  const choose = (): void => void refresh().catch(() => {})
  for (const select of [by, month]) select.addEventListener("input", choose)
  return refresh
}
