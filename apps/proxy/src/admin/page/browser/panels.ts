/** Creates the parts of the status page from a status. */
import { type Child, h } from "../../../docs/page/browser/dom.ts"
import type { Status } from "../../Status.ts"
import * as Format from "./formatting.ts"

const pill = (kind: "good" | "warn" | "bad" | "plain", ...text: ReadonlyArray<Child>) =>
  h("span", { class: `pill ${kind}` }, ...text)

/** When something is over, as seen from now. */
const untilTime = (time: string | null, now: number): string => {
  const remainingMs = time === null ? 0 : Date.parse(time) - now
  return remainingMs > 0 ? ` for ${Format.duration(remainingMs)}` : ""
}

/** What is left of an allowance. */
const meter = (name: string, remaining: number, limit: number, shadow: boolean) => {
  const fraction = limit > 0 ? Math.max(0, Math.min(1, remaining / limit)) : 0
  const bar = h("i")
  bar.style.width = `${fraction * 100}%`
  const description = `${Format.whole(Math.max(0, Math.floor(remaining)))} of ${Format.whole(limit)} left`
  return h(
    "div",
    { class: `meter ${shadow ? "shadow" : fraction === 0 ? "none" : fraction < 0.15 ? "low" : ""}` },
    h(
      "span",
      {},
      h(
        "span",
        {},
        name,
        shadow ? h("em", { title: "It is watched, and refuses nobody" }, " watched") : ""
      ),
      h(
        "span",
        { class: "number" },
        `${Format.number(Math.max(0, Math.floor(remaining)))} / ${Format.number(limit)}`
      )
    ),
    h("div", {
      class: "track",
      role: "meter",
      "aria-label": `${name}${shadow ? ", watched only" : ""}`,
      "aria-valuemin": 0,
      "aria-valuemax": limit,
      "aria-valuenow": Math.max(0, Math.min(limit, remaining)),
      "aria-valuetext": description
    }, bar)
  )
}

const quotaName = (name: string): string => name === "day" ? "today" : `per ${name}`

const hitRatio = (hits: number, requests: number): string =>
  requests === 0 ? "–" : Format.percent(hits / requests)

export const totals = ({ totals }: Status): ReadonlyArray<Node> => {
  const {
    attempts,
    bytes,
    upstreamCost,
    failures,
    hits,
    clientDisconnects,
    rejected,
    requests,
    savedCost,
    coalesced,
    stale
  } = totals
  const tile = (name: string, value: string, note: string, kind = "") =>
    h(
      "div",
      { class: `tile ${kind}` },
      h("dt", {}, name),
      h("dd", { class: "number" }, value),
      h("dd", { class: "note" }, note)
    )
  return [
    tile("Requests", Format.number(requests), `${Format.number(attempts)} sent to the service`),
    tile(
      "From the cache",
      hitRatio(hits, requests),
      `${Format.number(hits)} kept, ${Format.number(stale)} stale, ${Format.number(coalesced)} shared`
    ),
    tile(
      "Units saved",
      Format.number(savedCost),
      upstreamCost + savedCost === 0
        ? "of none asked for"
        : `${Format.percent(savedCost / (upstreamCost + savedCost))} of what was asked for`,
      "accent"
    ),
    tile("Units spent", Format.number(upstreamCost), "at the service"),
    tile(
      "Failures",
      Format.number(failures),
      requests === 0 ? "of no requests" : `${Format.percent(failures / requests)} of requests`,
      failures > 0 ? "bad" : ""
    ),
    tile("Refused", Format.number(rejected), `${Format.number(clientDisconnects)} hung up`),
    tile("Sent", Format.bytes(bytes), "of answers")
  ]
}

const circuitBreakerStyles = { closed: "good", "half-open": "warn", open: "bad" } as const
const circuitBreakerLabels = {
  closed: "answering",
  "half-open": "being tried",
  open: "left alone"
} as const
const cooldownReasons = {
  rejected: "rejected by the upstream",
  "quota-exceeded": "quota exceeded",
  throttled: "throttled"
} as const

const key = (
  { name, dailyQuota, reason, state, cooldownUntil }: Status["upstreams"][number]["keys"][number],
  now: number
) =>
  h(
    "li",
    {},
    h(
      "div",
      { class: "row" },
      h("span", { class: "mono" }, name),
      state === "ready"
        ? pill("good", "ready")
        : pill(
          "warn",
          `${reason === null ? "cooldown" : cooldownReasons[reason]}${untilTime(cooldownUntil, now)}`
        )
    ),
    dailyQuota === null ? "" : meter("units today", dailyQuota.remaining, dailyQuota.limit, false)
  )

export const upstream = (status: Status): ReadonlyArray<Node> => {
  const now = Date.parse(status.now)
  return status.upstreams.map(({ name, circuitBreaker, host, keys, retryAt }) =>
    h(
      "li",
      {},
      h(
        "div",
        { class: "row" },
        h("h3", {}, name),
        host === null
          ? pill("plain", "not set")
          : pill(
            circuitBreakerStyles[circuitBreaker],
            `${circuitBreakerLabels[circuitBreaker]}${untilTime(retryAt, now)}`
          )
      ),
      h("p", { class: "mono muted" }, host ?? "no address is set"),
      keys.length === 0
        ? host === null ? "" : h("p", { class: "muted" }, "no key")
        : h(
          "ul",
          { class: "keys", "aria-label": `keys of ${name}` },
          ...keys.map((each) => key(each, now))
        )
    )
  )
}

/** A cell that says its column where there is no room for columns. */
const cell = (label: string, style: string, ...children: ReadonlyArray<Child>) =>
  h("td", { role: "cell", "data-label": label, class: style }, ...children)

export const clients = (status: Status): ReadonlyArray<Node> => {
  const now = Date.parse(status.now)
  return status.clients.map((
    { quotas, upstreamCost, failures, hits, lastSeen, name, rejected, requests, savedCost }
  ) =>
    h(
      "tr",
      { role: "row" },
      h("th", { role: "rowheader", scope: "row" }, h("span", { class: "mono" }, name)),
      cell("Last seen", "", lastSeen === null ? "never" : Format.ago(Date.parse(lastSeen), now)),
      cell("Requests", "number", Format.number(requests)),
      cell("Kept", "number", hitRatio(hits, requests)),
      cell("Refused", "number", Format.number(rejected)),
      cell("Failures", failures > 0 ? "number bad" : "number", Format.number(failures)),
      cell("Spent", "number", Format.number(upstreamCost)),
      cell("Saved", "number", Format.number(savedCost)),
      cell(
        "Budgets",
        "budgets",
        quotas.length === 0
          ? h("span", { class: "muted" }, "no limits")
          : h(
            "div",
            {},
            ...quotas.map(({ remaining, limit, name, shadow }) =>
              meter(quotaName(name), remaining, limit, shadow)
            )
          )
      )
    )
  )
}

export const failures = (status: Status): ReadonlyArray<Node> => {
  const now = Date.parse(status.now)
  return status.failures.map(({ at, client, code, operation, requestId, route, status }) =>
    h(
      "tr",
      { role: "row" },
      cell("When", "number", Format.dateTime(Date.parse(at), now)),
      cell("Status", "number", pill("bad", String(status))),
      cell(
        "Code",
        "",
        code === null ? h("span", { class: "muted" }, "the service's own") : h("code", {}, code)
      ),
      cell(
        "Client",
        "",
        client === null ? h("span", { class: "muted" }, "nobody") : h("span", { class: "mono" }, client)
      ),
      cell(
        "Asked for",
        "",
        operation === null ? "" : h("b", {}, operation),
        " ",
        h("code", { class: "muted" }, route)
      ),
      cell("Request", "", h("code", {}, requestId))
    )
  )
}

const readinessStyles = { ready: "good", stopping: "warn", "not configured": "bad" } as const

export const summary = (
  { now, anonymousAccess, sandbox, startedAt, state, store }: Status
): ReadonlyArray<Node> => [
  pill(readinessStyles[state], state),
  ...(sandbox ? [pill("plain", "sandbox")] : []),
  ...(anonymousAccess ? [pill("plain", "no token needed")] : []),
  store.available
    ? pill("plain", store.kind === "redis" ? "shared store: redis" : "store: memory")
    : pill("bad", `${store.kind} is away: each process counts for itself`),
  pill(
    "plain",
    h("span", { class: "number" }, `up ${Format.duration(Date.parse(now) - Date.parse(startedAt))}`)
  )
]
