/** Script of the status page: reads `/status.json` every two seconds and shows it. */
import { byId } from "../../../docs/page/browser/dom.ts"
import type { Status, StatusPoint } from "../../Status.ts"
import { makeChart } from "./chart.ts"
import * as Format from "./formatting.ts"
import * as panels from "./panels.ts"

const refreshIntervalMs = 2000
const requestTimeoutMs = 5000

type ChartPoint = Omit<StatusPoint, "at"> & { readonly at: number }

const perSecond = (value: number): string => `${Format.number(value)}/s`
const charts = [
  makeChart<ChartPoint>(byId("throughput"), {
    title: "Requests",
    format: perSecond,
    scale: "linear",
    lines: [
      { name: "all", style: "strong", value: ({ requests }) => requests / step },
      { name: "kept", style: "weak", value: ({ hits }) => hits / step },
      { name: "failed", style: "bad", value: ({ failures }) => failures / step }
    ]
  }),
  makeChart<ChartPoint>(byId("hit-rate"), {
    title: "From the cache",
    format: Format.percent,
    scale: "whole",
    lines: [{
      name: "hit rate",
      style: "strong",
      value: ({ hits, requests }) => requests === 0 ? null : hits / requests
    }]
  }),
  makeChart<ChartPoint>(byId("latency"), {
    title: "Time to answer",
    format: Format.millis,
    scale: "logarithmic",
    lines: [
      { name: "half within", style: "strong", value: ({ p50 }) => p50 },
      { name: "95 %", style: "middle", value: ({ p95 }) => p95 },
      { name: "99 %", style: "weak", value: ({ p99 }) => p99 }
    ]
  }),
  makeChart<ChartPoint>(byId("units"), {
    title: "Units",
    format: perSecond,
    scale: "linear",
    lines: [
      { name: "saved", style: "strong", value: ({ savedCost }) => savedCost / step },
      { name: "spent", style: "weak", value: ({ upstreamCost }) => upstreamCost / step }
    ]
  })
]
let step = 5

/** Nothing but what changed: what is selected, or listened to, stays. */
const replaceIfChanged = (id: string, nodes: ReadonlyArray<Node>): void => {
  const element = byId(id)
  const unchanged = element.childNodes.length === nodes.length &&
    nodes.every((node, index) => element.childNodes[index]?.isEqualNode(node))
  if (!unchanged) element.replaceChildren(...nodes)
}

const show = (status: Status): void => {
  step = status.series.step
  document.title = `${status.state} – quarry-proxy`
  byId("version").textContent = status.version
  replaceIfChanged("summary", panels.summary(status))
  replaceIfChanged("totals", panels.totals(status))
  replaceIfChanged("upstream", panels.upstream(status))
  replaceIfChanged("clients", panels.clients(status))
  replaceIfChanged("failures", panels.failures(status))
  byId("quiet").hidden = status.totals.requests > 0
  byId("charts").hidden = status.totals.requests === 0
  byId("no-failures").hidden = status.failures.length > 0
  byId("failures-table").hidden = status.failures.length === 0
  byId("no-clients").hidden = status.clients.length > 0
  byId("clients-table").hidden = status.clients.length === 0
  // The last step is not over: it would look like a fall
  const completePoints = status.series.points.slice(0, -1).map((point) => ({
    ...point,
    at: Date.parse(point.at)
  }))
  for (const update of charts) update(completePoints)
}

/** In memory only: a token has no business in an address or in what a browser keeps. */
let token = ""
let lastUpdatedAt: number | null = null
let timer = 0

const showConnection = (text: string, showDisconnected: boolean): void => {
  const element = byId("connection")
  if (element.textContent !== text) element.textContent = text
  document.body.classList.toggle("lost", showDisconnected)
}

const lost = (why: string): void =>
  showConnection(
    lastUpdatedAt === null
      ? `${why}. Asking again every ${refreshIntervalMs / 1000} s.`
      : `${why}. This is how things were at ${Format.clock(lastUpdatedAt)}; asking again every ${
        refreshIntervalMs / 1000
      } s.`,
    true
  )

/** What a failure says of itself. */
const reason = (failure: unknown): string =>
  typeof failure === "object" && failure !== null && "message" in failure ? `: ${failure.message}` : ""

const refresh = async (): Promise<void> => {
  const response = await fetch("/status.json", {
    cache: "no-store",
    headers: token === "" ? {} : { "x-api-key": token },
    signal: AbortSignal.timeout(requestTimeoutMs)
  })
  byId("token-panel").hidden = response.status !== 401
  if (response.status === 401) return lost("The proxy wants a token for its status")
  if (!response.ok) {
    return lost(`The proxy answered ${response.status}${reason(await response.json().catch(() => null))}`)
  }
  show(await response.json())
  lastUpdatedAt = Date.now()
  showConnection("", false)
}

/** One question at a time, and none while nobody looks. */
const scheduleRefresh = (): void => {
  clearTimeout(timer)
  if (document.hidden) return
  refresh()
    .catch(() => lost("Connection lost"))
    .finally(() => {
      if (!document.hidden) timer = window.setTimeout(scheduleRefresh, refreshIntervalMs)
    })
}

document.addEventListener("visibilitychange", scheduleRefresh)
byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault()
  const field = byId("token")
  if (field instanceof HTMLInputElement) token = field.value.trim()
  scheduleRefresh()
})
scheduleRefresh()
