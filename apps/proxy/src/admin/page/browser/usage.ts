/** The panel of saved usage: sums of a month by client, team, operation, API key or day. */
import type { UsageRow } from "@blockquarry/http/UsageStore"
import { byId, h } from "../../../docs/page/browser/dom.ts"
import * as Format from "./formatting.ts"
import { makeTable } from "./table.ts"

const dimensions = ["client", "team", "operation", "key", "day"] as const

const choice = (name: string, texts: ReadonlyArray<string>): HTMLSelectElement => {
  const select = document.createElement("select")
  select.ariaLabel = name
  select.append(...texts.map((text) => h("option", text)))
  return select
}

/** The days of the last three months, newest first, such as `2026-11`. */
const months = (): ReadonlyArray<string> => {
  const now = new Date()
  return [0, 1, 2].map((back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7)
  )
}

/** `get` reads a path of the admin listener. Returns a function that refreshes the panel. */
export const makeUsage = (get: (path: string) => Promise<Response>) => {
  const by = choice("Usage by", dimensions)
  const month = choice("Month", months())
  byId("usage-tools").replaceChildren(month, by)
  const total = byId("usage-total")
  let dimension: typeof dimensions[number] = "client"
  const show = makeTable<UsageRow>(byId("usage-table"), "usage", "No usage in this month.", [
    ["Name", "", (row) => h("span.mono", row[dimension] || "–"), (row) => row[dimension]],
    ["Requests", "number", ({ requests }) => Format.number(requests), ({ requests }) => requests],
    ["Attempts", "number", ({ attempts }) => Format.number(attempts), ({ attempts }) => attempts],
    ["Price", "number", ({ price }) => Format.number(price), ({ price }) => price],
    [
      "Unsettled",
      "number",
      ({ unsettledPrice }) => Format.number(unsettledPrice),
      ({ unsettledPrice }) => unsettledPrice
    ],
    ["Saved", "number", ({ savedPrice }) => Format.number(savedPrice), ({ savedPrice }) => savedPrice],
    [
      "Failures",
      "number",
      ({ failures }) => h(`span.${failures > 0 ? "bad" : ""}`, Format.number(failures)),
      ({ failures }) => failures
    ]
  ])
  const refresh = async (): Promise<void> => {
    dimension = dimensions.find((each) => each === by.value) ?? "client"
    const last = new Date(`${month.value}-01`)
    last.setUTCMonth(last.getUTCMonth() + 1, 0)
    const to = last.toISOString().slice(0, 10)
    const response = await get(`/usage?from=${month.value}-01&to=${to}&by=${dimension}`)
    // Usage is not saved.
    byId("usage").hidden = !response.ok
    if (!response.ok) return
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
