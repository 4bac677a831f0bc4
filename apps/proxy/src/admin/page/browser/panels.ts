/** Creates the parts of the status page from a status. */
import { type Child, h } from "../../../docs/page/browser/dom.ts"
import type { Status } from "../../Status.ts"
import * as Format from "./formatting.ts"

const pill = (kind: "good" | "warn" | "bad" | "plain", ...text: ReadonlyArray<Child>) =>
  h(`span.pill ${kind}`, ...text)

/** Returns the time that remains until a moment, for example `, retry in 21 s`; empty if the moment has passed. */
const remainingTime = (prefix: string, time: string | null, now: number): string => {
  const remainingMs = time === null ? 0 : Date.parse(time) - now
  return remainingMs > 0 ? `, ${prefix} in ${Format.duration(remainingMs)}` : ""
}

/** Creates a bar that shows how much of a quota remains. A shadow quota is counted and not enforced. */
const meter = (name: string, remaining: number, limit: number, shadow: boolean) =>
  h(
    `label.meter ${shadow ? "shadow" : ""}`,
    h("span", name, shadow ? h("em", { title: "Dry run: not enforced" }, " dry run") : ""),
    h("span.number", `${Format.number(Math.max(0, Math.floor(remaining)))} / ${Format.number(limit)}`),
    h("meter", { max: limit, value: remaining, low: limit * 0.15, optimum: limit })
  )

const ratio = (part: number, whole: number): string => whole === 0 ? "–" : Format.percent(part / whole)

export const totals = ({ totals }: Status): ReadonlyArray<Node> => {
  const { failures, hits, requests, savedCost, upstreamCost } = totals
  const number = Format.number
  const tile = (name: string, value: string, note: string, kind = "") =>
    h(`div.tile ${kind}`, h("dt", name), h("dd.number", value), h("dd.note", note))
  return [
    tile("Requests", number(requests), `${number(totals.attempts)} upstream requests`),
    tile(
      "Cache hit ratio",
      ratio(hits, requests),
      `${number(hits)} hits, ${number(totals.stale)} stale, ${number(totals.coalesced)} coalesced`
    ),
    tile(
      "Cost saved",
      number(savedCost),
      `${ratio(savedCost, upstreamCost + savedCost)} of total cost`,
      "accent"
    ),
    tile("Upstream cost", number(upstreamCost), "units"),
    tile("Failures", number(failures), `${ratio(failures, requests)} of requests`, failures > 0 ? "bad" : ""),
    tile("Rejected", number(totals.rejected), `${number(totals.clientDisconnects)} client disconnects`),
    tile("Response bytes", Format.bytes(totals.bytes), "sent to clients")
  ]
}

type Column<Row> = readonly [label: string, style: string, cell: (row: Row) => Child]

const table = <Row>(
  name: string,
  rows: ReadonlyArray<Row>,
  noRows: string,
  columns: ReadonlyArray<Column<Row>>
): Node =>
  rows.length === 0 ? h("p.muted", noRows) : h(
    "table",
    { "aria-label": name },
    h("thead", h("tr", ...columns.map(([label, style]) => h(`th.${style}`, { scope: "col" }, label)))),
    h(
      "tbody",
      ...rows.map((row) =>
        h(
          "tr",
          ...columns.map(([label, style, cell]) => h(`td.${style}`, { "data-label": label }, cell(row)))
        )
      )
    )
  )

const circuitBreakerStyles = { closed: "good", "half-open": "warn", open: "bad" } as const

const key = (
  { name, dailyQuota, reason, state, cooldownUntil }: Status["upstreams"][number]["keys"][number],
  now: number
) => {
  // Without a cooldown the key is used, although the upstream rejected it or its plan is exhausted
  const problem = state === "ready" && reason === "throttled" ? null : reason
  return h(
    "div",
    h("span.mono", name),
    " ",
    problem === null
      ? pill("good", "ready")
      : pill("warn", `${problem}${remainingTime("ready", cooldownUntil, now)}`),
    dailyQuota === null ? "" : meter("daily quota", dailyQuota.remaining, dailyQuota.limit, false)
  )
}

export const upstreams = (status: Status): Node => {
  const now = Date.parse(status.now)
  return table("Upstreams", status.upstreams, "None.", [
    ["Upstream", "", ({ name }) => h("b", name)],
    ["Host", "", ({ host }) => h("span.mono muted", host ?? "no base URL")],
    ["Circuit breaker", "", ({ circuitBreaker, host, retryAt }) =>
      host === null
        ? pill("plain", "not configured")
        : pill(
          circuitBreakerStyles[circuitBreaker],
          `${circuitBreaker}${remainingTime("retry", retryAt, now)}`
        )],
    ["API keys", "quotas", ({ keys }) =>
      keys.length === 0
        ? h("span.muted", "none")
        : h("div", ...keys.map((each) => key(each, now)))]
  ])
}

export const clients = (status: Status): Node =>
  table("Clients", status.clients, "No clients yet.", [
    ["Client", "", ({ name }) => h("span.mono", name)],
    [
      "Last seen",
      "",
      ({ lastSeen }) => lastSeen === null ? "never" : Format.ago(Date.parse(lastSeen), Date.parse(status.now))
    ],
    ["Requests", "number", ({ requests }) => Format.number(requests)],
    ["Hit ratio", "number", ({ hits, requests }) => ratio(hits, requests)],
    ["Rejected", "number", ({ rejected }) => Format.number(rejected)],
    [
      "Failures",
      "number",
      ({ failures }) => h(`span.${failures > 0 ? "bad" : ""}`, Format.number(failures))
    ],
    ["Upstream cost", "number", ({ upstreamCost }) => Format.number(upstreamCost)],
    ["Cost saved", "number", ({ savedCost }) => Format.number(savedCost)],
    ["Quotas: remaining", "quotas", ({ quotas }) =>
      quotas.length === 0
        ? h("span.muted", "no limits")
        : h(
          "div",
          ...quotas.map(({ remaining, limit, name, shadow }) =>
            meter(`per ${name}`, remaining, limit, shadow)
          )
        )]
  ])

export const policies = (status: Status): Node =>
  table("Costs and policies", status.policies, "None.", [
    ["Operation", "", ({ name }) => h("span.mono", name)],
    ["Price", "number", ({ price }) => price],
    ["Rate cost", "number", ({ rateCost }) => Format.number(rateCost)],
    ["Cache TTL", "", ({ cacheTtl }) => cacheTtl],
    ["Timeouts", "", ({ timeouts }) => timeouts],
    ["Attempts", "number", ({ attempts }) => Format.number(attempts)],
    ["Max concurrent", "number", ({ maxConcurrent }) =>
      maxConcurrent === null ? "–" : Format.number(maxConcurrent)]
  ])

export const failures = (status: Status): Node =>
  table("Recent failures", status.failures, "None.", [
    ["Time", "", ({ at }) => Format.dateTime(Date.parse(at))],
    ["Status", "", ({ status }) => pill("bad", String(status))],
    ["Code", "", ({ code }) => code === null ? h("span.muted", "upstream") : h("code", code)],
    [
      "Client",
      "",
      ({ client }) => client === null ? h("span.muted", "unauthenticated") : h("span.mono", client)
    ],
    ["Operation", "", ({ operation, route }) =>
      h("span", h("b", operation ?? ""), " ", h("code.muted", route))],
    ["Request ID", "", ({ requestId }) =>
      h("code", requestId)]
  ])

const readinessStyles = { ready: "good", "shutting-down": "warn", "not configured": "bad" } as const

export const summary = (
  { now, anonymousAccess, sandbox, startedAt, state, store }: Status
): ReadonlyArray<Node> => [
  pill(readinessStyles[state], state),
  ...(sandbox ? [pill("plain", "sandbox")] : []),
  ...(anonymousAccess ? [pill("plain", "anonymous access")] : []),
  store.available
    ? pill("plain", store.kind === "redis" ? "shared store: redis" : "store: memory")
    : pill(
      "bad",
      `${store.kind} ${
        store.misconfigured ? "misconfigured, see the log" : "unavailable"
      }: limits per process`
    ),
  pill(
    "plain",
    h("span.number", `up ${Format.duration(Date.parse(now) - Date.parse(startedAt))}`)
  )
]
