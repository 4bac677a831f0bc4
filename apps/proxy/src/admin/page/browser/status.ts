/** Script of the status page: reads `/status.json` every two seconds and shows it. */
import type { Status } from "../../Status.ts"
import { makeChart } from "./chart.ts"
import { byId } from "./dom.ts"
import * as Format from "./formatting.ts"
import * as panels from "./panels.ts"
import { replaceIfChanged } from "./table.ts"

const refreshIntervalMs = 2000
const requestTimeoutMs = 5000

/** Seconds per point of the charts, as the last status states it. */
let step = 5

const perSecond = (value: number): string => `${Format.number(value)}/s`
const charts = [
  makeChart(byId("throughput"), {
    title: "Requests",
    format: perSecond,
    scale: "linear",
    lines: [
      { name: "all", style: "strong", value: ({ requests }) => requests / step },
      { name: "hits", style: "weak", value: ({ hits }) => hits / step },
      { name: "failed", style: "bad", value: ({ failures }) => failures / step }
    ]
  }),
  makeChart(byId("hit-ratio"), {
    title: "Cache hit ratio",
    format: Format.percent,
    scale: "fraction",
    lines: [{
      name: "hit ratio",
      style: "strong",
      value: ({ hits, requests }) => requests === 0 ? null : hits / requests
    }]
  }),
  makeChart(byId("latency"), {
    title: "Response time",
    format: Format.millis,
    scale: "logarithmic",
    lines: [
      { name: "p50", style: "strong", value: ({ p50 }) => p50 },
      { name: "p95", style: "middle", value: ({ p95 }) => p95 },
      { name: "p99", style: "weak", value: ({ p99 }) => p99 }
    ]
  }),
  makeChart(byId("cost"), {
    title: "Cost in units",
    format: perSecond,
    scale: "linear",
    lines: [
      { name: "saved", style: "strong", value: ({ savedCost }) => savedCost / step },
      { name: "upstream", style: "weak", value: ({ upstreamCost }) => upstreamCost / step }
    ]
  })
]

const showTables = panels.makeTables()

const show = (status: Status): void => {
  step = status.series.step
  document.title = `${status.state} – quarry-proxy`
  byId("version").textContent = status.version
  replaceIfChanged(byId("summary"), panels.summary(status))
  replaceIfChanged(byId("totals"), panels.totals(status))
  showTables(status)
  byId("no-requests").hidden = status.totals.requests > 0
  byId("charts").hidden = status.totals.requests === 0
  // The last point is incomplete and would look like a drop
  const completePoints = status.series.points.slice(0, -1).map((point) => ({
    ...point,
    at: Date.parse(point.at)
  }))
  for (const update of charts) update(completePoints)
}

const tokenForm = byId("token-form")

/** A browser that blocks cookies has no storage either: then a reload requires the token again. */
const storage = navigator.cookieEnabled ? sessionStorage : null

/**
 * Held for this tab only. The link that is printed at startup has it in the fragment, which browsers do not send, and which
 * is removed from the URL and the history.
 */
let token = new URLSearchParams(location.hash.slice(1)).get("token") ?? storage?.getItem("token") ?? ""
history.replaceState(null, "", location.pathname)
let lastUpdatedAt: number | null = null
let timer = 0

const showConnection = (text: string): void => {
  const element = byId("connection")
  if (element.textContent !== text) element.textContent = text
  document.body.classList.toggle("lost", text !== "")
}

const showFailure = (reason: string): void => {
  const shown = lastUpdatedAt === null ? "" : ` Showing data of ${Format.time(lastUpdatedAt)}.`
  showConnection(`${reason}.${shown} Retrying every ${refreshIntervalMs / 1000} s.`)
}

const refresh = async (): Promise<void> => {
  const response = await fetch("/status.json", {
    cache: "no-store",
    headers: token === "" ? {} : { "x-api-key": token },
    signal: AbortSignal.timeout(requestTimeoutMs)
  })
  tokenForm.hidden = response.status !== 401
  if (response.status === 401) return requestToken()
  if (!response.ok) {
    return showFailure(`The proxy responded with ${response.status}: ${await response.text()}`)
  }
  storage?.setItem("token", token)
  byId("status").hidden = false
  show(await response.json())
  lastUpdatedAt = Date.now()
  showConnection("")
}

/** Shows the form, and nothing else. */
const requestToken = (): void => {
  storage?.removeItem("token")
  byId("status").hidden = true
  byId("summary").replaceChildren()
  lastUpdatedAt = null
  showConnection(token === "" ? "" : "The proxy does not accept this token.")
  byId("token").focus()
}

/** Refreshes the page and schedules the next refresh. Pauses while the page is hidden. */
const scheduleRefresh = (): void => {
  clearTimeout(timer)
  if (document.hidden) return
  refresh()
    .catch(() => {
      tokenForm.hidden = true
      showFailure("Connection lost")
    })
    .finally(() => {
      if (!document.hidden && tokenForm.hidden) timer = window.setTimeout(scheduleRefresh, refreshIntervalMs)
    })
}

document.addEventListener("visibilitychange", scheduleRefresh)
tokenForm.addEventListener("submit", (event) => {
  event.preventDefault()
  const field = byId("token")
  if (field instanceof HTMLInputElement) token = field.value.trim()
  scheduleRefresh()
})
scheduleRefresh()
