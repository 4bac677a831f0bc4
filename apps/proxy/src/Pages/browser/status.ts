/// <reference lib="dom" />
/**
 * The status page at work: it asks for the status every two seconds, and shows what it was told last.
 *
 * The page carries the source of this function: it refers to nothing but what it is given.
 */
import type { Point, Status } from "../../Operations/Status.ts"
import type { MakeChart } from "./chart.ts"
import type { Dom } from "./dom.ts"
import type { Figures } from "./figures.ts"
import type { Panels } from "./panels.ts"

export const status = ({ byId }: Dom, figures: Figures, chart: MakeChart, panels: Panels): void => {
  const every = 2000
  const patience = 5000
  const { clock, millis, number, percent } = figures

  type Moment = Omit<Point, "at"> & { readonly at: number }

  const perSecond = (value: number): string => `${number(value)}/s`
  const charts = [
    chart<Moment>(byId("throughput"), {
      title: "Requests",
      format: perSecond,
      scale: "linear",
      lines: [
        { name: "all", look: "strong", value: ({ requests }) => requests / step },
        { name: "kept", look: "weak", value: ({ hits }) => hits / step },
        { name: "failed", look: "bad", value: ({ failures }) => failures / step }
      ]
    }),
    chart<Moment>(byId("hit-rate"), {
      title: "From the cache",
      format: percent,
      scale: "whole",
      lines: [{
        name: "hit rate",
        look: "strong",
        value: ({ hits, requests }) => requests === 0 ? null : hits / requests
      }]
    }),
    chart<Moment>(byId("latency"), {
      title: "Time to answer",
      format: millis,
      scale: "logarithmic",
      lines: [
        { name: "half within", look: "strong", value: ({ p50 }) => p50 },
        { name: "95 %", look: "middle", value: ({ p95 }) => p95 },
        { name: "99 %", look: "weak", value: ({ p99 }) => p99 }
      ]
    }),
    chart<Moment>(byId("units"), {
      title: "Units",
      format: perSecond,
      scale: "linear",
      lines: [
        { name: "saved", look: "strong", value: ({ saved }) => saved / step },
        { name: "spent", look: "weak", value: ({ cost }) => cost / step }
      ]
    })
  ]
  let step = 5

  /** Nothing but what changed: what is selected, or listened to, stays. */
  const put = (id: string, nodes: ReadonlyArray<Node>): void => {
    const place = byId(id)
    const unchanged = place.childNodes.length === nodes.length &&
      nodes.every((node, index) => place.childNodes[index]?.isEqualNode(node))
    if (!unchanged) place.replaceChildren(...nodes)
  }

  const show = (status: Status): void => {
    step = status.series.step
    document.title = `${status.state} – quarry-proxy`
    byId("version").textContent = status.version
    put("summary", panels.summary(status))
    put("totals", panels.totals(status))
    put("upstream", panels.upstream(status))
    put("clients", panels.clients(status))
    put("failures", panels.failures(status))
    byId("quiet").hidden = status.totals.requests > 0
    byId("charts").hidden = status.totals.requests === 0
    byId("no-failures").hidden = status.failures.length > 0
    byId("failures-table").hidden = status.failures.length === 0
    byId("no-clients").hidden = status.clients.length > 0
    byId("clients-table").hidden = status.clients.length === 0
    // The last step is not over: it would look like a fall
    const over = status.series.points.slice(0, -1).map((point) => ({ ...point, at: Date.parse(point.at) }))
    for (const update of charts) update(over)
  }

  /** In memory only: a token has no business in an address or in what a browser keeps. */
  let token = ""
  let lastHeard: number | null = null
  let timer = 0

  const connection = (text: string, lost: boolean): void => {
    const place = byId("connection")
    if (place.textContent !== text) place.textContent = text
    document.body.classList.toggle("lost", lost)
  }

  const lost = (why: string): void =>
    connection(
      lastHeard === null
        ? `${why}. Asking again every ${every / 1000} s.`
        : `${why}. This is how things were at ${clock(lastHeard)}; asking again every ${every / 1000} s.`,
      true
    )

  /** What a failure says of itself. */
  const reason = (failure: unknown): string =>
    typeof failure === "object" && failure !== null && "message" in failure ? `: ${failure.message}` : ""

  const ask = async (): Promise<void> => {
    const response = await fetch("/status.json", {
      cache: "no-store",
      headers: token === "" ? {} : { "x-api-key": token },
      signal: AbortSignal.timeout(patience)
    })
    byId("token-panel").hidden = response.status !== 401
    if (response.status === 401) return lost("The proxy wants a token for its status")
    if (!response.ok) {
      return lost(`The proxy answered ${response.status}${reason(await response.json().catch(() => null))}`)
    }
    show(await response.json())
    lastHeard = Date.now()
    connection("", false)
  }

  /** One question at a time, and none while nobody looks. */
  const again = (): void => {
    clearTimeout(timer)
    if (document.hidden) return
    ask()
      .catch(() => lost("Connection lost"))
      .finally(() => {
        if (!document.hidden) timer = window.setTimeout(again, every)
      })
  }

  document.addEventListener("visibilitychange", again)
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault()
    const field = byId("token")
    if (field instanceof HTMLInputElement) token = field.value.trim()
    again()
  })
  again()
}
