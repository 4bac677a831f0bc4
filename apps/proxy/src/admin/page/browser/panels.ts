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
const meter = (name: string, remaining: number, limit: number, shadow: boolean) => {
  const fraction = limit > 0 ? Math.max(0, Math.min(1, remaining / limit)) : 0
  const bar = h("i")
  bar.style.width = `${fraction * 100}%`
  const description = `${Format.whole(Math.max(0, Math.floor(remaining)))} of ${
    Format.whole(limit)
  } remaining`
  return h(
    `div.meter ${shadow ? "shadow" : fraction === 0 ? "none" : fraction < 0.15 ? "low" : ""}`,
    h(
      "span",
      h("span", name, shadow ? h("em", { title: "Dry run: not enforced" }, " dry run") : ""),
      h("span.number", `${Format.number(Math.max(0, Math.floor(remaining)))} / ${Format.number(limit)}`)
    ),
    h("div", {
      class: "track",
      role: "meter",
      "aria-label": `${name}${shadow ? ", dry run" : ""}`,
      "aria-valuemin": 0,
      "aria-valuemax": limit,
      "aria-valuenow": Math.max(0, Math.min(limit, remaining)),
      "aria-valuetext": description
    }, bar)
  )
}

const hitRatio = (hits: number, requests: number): string =>
  requests === 0 ? "–" : Format.percent(hits / requests)

export const totals = ({ totals }: Status): ReadonlyArray<Node> => {
  const { failures, hits, requests, savedCost, upstreamCost } = totals
  const number = Format.number
  const tile = (name: string, value: string, note: string, kind = "") =>
    h(`div.tile ${kind}`, h("dt", name), h("dd.number", value), h("dd.note", note))
  const partOf = (part: number, whole: number, of: string): string =>
    whole === 0 ? `no ${of}` : `${Format.percent(part / whole)} of ${of}`
  return [
    tile("Requests", number(requests), `${number(totals.attempts)} upstream requests`),
    tile(
      "Cache hit ratio",
      hitRatio(hits, requests),
      `${number(hits)} hits, ${number(totals.stale)} stale, ${number(totals.coalesced)} coalesced`
    ),
    tile(
      "Cost saved",
      number(savedCost),
      upstreamCost + savedCost === 0 ? "no cost" : partOf(savedCost, upstreamCost + savedCost, "total cost"),
      "accent"
    ),
    tile("Upstream cost", number(upstreamCost), "units"),
    tile("Failures", number(failures), partOf(failures, requests, "requests"), failures > 0 ? "bad" : ""),
    tile("Rejected", number(totals.rejected), `${number(totals.clientDisconnects)} client disconnects`),
    tile("Response bytes", Format.bytes(totals.bytes), "sent to clients")
  ]
}

const circuitBreakerStyles = { closed: "good", "half-open": "warn", open: "bad" } as const
const cooldownReasons = {
  rejected: "rejected",
  "quota-exceeded": "exhausted",
  throttled: "throttled"
} as const

const key = (
  { name, dailyQuota, reason, state, cooldownUntil }: Status["upstreams"][number]["keys"][number],
  now: number
) =>
  h(
    "li",
    h(
      "div.row",
      h("span.mono", name),
      state === "ready"
        ? pill("good", "ready")
        : pill(
          "warn",
          `${reason === null ? "cooldown" : cooldownReasons[reason]}${
            remainingTime("ready", cooldownUntil, now)
          }`
        )
    ),
    dailyQuota === null ? "" : meter("daily quota", dailyQuota.remaining, dailyQuota.limit, false)
  )

export const upstreams = (status: Status): ReadonlyArray<Node> => {
  const now = Date.parse(status.now)
  return status.upstreams.map(({ name, circuitBreaker, host, keys, retryAt }) =>
    h(
      "li",
      h(
        "div.row",
        h("h3", name),
        host === null
          ? pill("plain", "not configured")
          : pill(
            circuitBreakerStyles[circuitBreaker],
            `breaker ${circuitBreaker}${remainingTime("retry", retryAt, now)}`
          )
      ),
      h("p.mono muted", host ?? "no base URL"),
      keys.length === 0
        ? host === null ? "" : h("p.muted", "no API key")
        : h("ul.keys", { "aria-label": `API keys of ${name}` }, ...keys.map((each) => key(each, now)))
    )
  )
}

/** Creates a table cell. Its label is the header of the column; narrow screens show it in the cell. */
const cell = (label: string, style: string, ...children: ReadonlyArray<Child>) =>
  h("td", { role: "cell", "data-label": label, class: style }, ...children)

export const clients = (status: Status): ReadonlyArray<Element> => {
  const now = Date.parse(status.now)
  return status.clients.map((
    { quotas, upstreamCost, failures, hits, lastSeen, name, rejected, requests, savedCost }
  ) =>
    h(
      "tr",
      { role: "row" },
      h("th", { role: "rowheader", scope: "row", "data-label": "Client" }, h("span.mono", name)),
      cell("Last seen", "", lastSeen === null ? "never" : Format.ago(Date.parse(lastSeen), now)),
      cell("Requests", "number", Format.number(requests)),
      cell("Hit ratio", "number", hitRatio(hits, requests)),
      cell("Rejected", "number", Format.number(rejected)),
      cell("Failures", failures > 0 ? "number bad" : "number", Format.number(failures)),
      cell("Upstream cost", "number", Format.number(upstreamCost)),
      cell("Cost saved", "number", Format.number(savedCost)),
      cell(
        "Quotas: remaining",
        "quotas",
        quotas.length === 0
          ? h("span.muted", "no limits")
          : h(
            "div",
            ...quotas.map(({ remaining, limit, name, shadow }) =>
              meter(`per ${name}`, remaining, limit, shadow)
            )
          )
      )
    )
  )
}

export const failures = (status: Status): ReadonlyArray<Element> => {
  const now = Date.parse(status.now)
  return status.failures.map(({ at, client, code, operation, requestId, route, status }) =>
    h(
      "tr",
      { role: "row" },
      cell("Time", "number", Format.dateTime(Date.parse(at), now)),
      cell("Status", "number", pill("bad", String(status))),
      cell(
        "Code",
        "",
        code === null ? h("span.muted", "upstream") : h("code", code)
      ),
      cell(
        "Client",
        "",
        client === null
          ? h("span.muted", "unauthenticated")
          : h("span.mono", client)
      ),
      cell(
        "Operation",
        "",
        operation === null ? "" : h("b", operation),
        " ",
        h("code.muted", route)
      ),
      cell("Request ID", "", h("code", requestId))
    )
  )
}

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
