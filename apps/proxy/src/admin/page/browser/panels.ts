/** Creates the parts of the status page from a status. */
import { byId, type Child, h } from "../../../docs/page/browser/dom.ts"
import type { Status } from "../../Status.ts"
import * as Format from "./formatting.ts"
import { makeTable } from "./table.ts"

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

/** Creates the tables of the page. Returns a function that shows a status in them. */
export const makeTables = () => {
  let now = 0
  const upstreams = makeTable<Status["upstreams"][number]>(byId("upstreams"), "upstreams", "None.", [
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
  const processes = makeTable<Status["processes"][number]>(byId("processes"), "processes", "None.", [
    ["Process", "", ({ name }) => h("span.mono", name), ({ name }) => name],
    ["State", "", ({ state }) => pill(readinessStyles[state] ?? "bad", state), ({ state }) => state],
    ["Version", "", ({ version }) => h("span.mono", version), ({ version }) => version],
    ["Up", "number", ({ startedAt }) => Format.duration(now - Date.parse(startedAt))],
    ["Requests", "number", ({ requests }) => Format.number(requests), ({ requests }) => requests],
    ["Failures", "number", ({ failures }) => failureCount(failures), ({ failures }) => failures],
    [
      "Upstream cost",
      "number",
      ({ upstreamCost }) => Format.number(upstreamCost),
      ({ upstreamCost }) => upstreamCost
    ],
    ["Problems", "", ({ problems }) => h("span", ...problems.map((problem) => h("div.bad", problem)))]
  ])
  const clients = makeTable<Status["clients"][number]>(byId("clients"), "clients", "No clients yet.", [
    ["Client", "", ({ disabled, name }) =>
      h(
        "span",
        h("span.mono", name),
        ...disabled === null
          ? []
          : [
            " ",
            pill("bad", `disabled by ${disabled.operator}, ${Format.ago(Date.parse(disabled.at), now)}`)
          ]
      ), ({ name }) => name],
    [
      "Last seen",
      "",
      ({ lastSeen }) => lastSeen === null ? "never" : Format.ago(Date.parse(lastSeen), now),
      ({ lastSeen }) => lastSeen === null ? 0 : Date.parse(lastSeen)
    ],
    ["Requests", "number", ({ requests }) => Format.number(requests), ({ requests }) => requests],
    ["Hit ratio", "number", ({ hits, requests }) => ratio(hits, requests)],
    ["Rejected", "number", ({ rejected }) => Format.number(rejected), ({ rejected }) => rejected],
    ["Failures", "number", ({ failures }) => failureCount(failures), ({ failures }) => failures],
    [
      "Upstream cost",
      "number",
      ({ upstreamCost }) => Format.number(upstreamCost),
      ({ upstreamCost }) => upstreamCost
    ],
    ["Cost saved", "number", ({ savedCost }) => Format.number(savedCost), ({ savedCost }) => savedCost],
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
  const failures = makeTable<ReturnType<typeof grouped>[number]>(byId("failures"), "failures", "None.", [
    ["Last", "", ({ at }) => Format.dateTime(Date.parse(at)), ({ at }) => Date.parse(at)],
    ["Times", "number", ({ times }) => Format.number(times), ({ times }) => times],
    ["Status", "", ({ status }) => pill("bad", String(status)), ({ status }) => status],
    ["Code", "", ({ code }) => code === null ? h("span.muted", "upstream") : h("code", code)],
    [
      "Client",
      "",
      ({ client }) => client === null ? h("span.muted", "unauthenticated") : h("span.mono", client),
      ({ client }) => client ?? ""
    ],
    [
      "Operation",
      "",
      ({ operation, route }) => h("span", h("b", operation ?? ""), " ", h("code.muted", route))
    ],
    [
      "Request ID",
      "",
      ({ process, requestId }) => h("span", h("code", requestId), h("div.mono muted", process))
    ]
  ])
  return (status: Status): void => {
    now = Date.parse(status.now)
    upstreams(status.upstreams)
    processes(
      failuresFirst(status.processes).sort((one, other) => Number(isHealthy(one)) - Number(isHealthy(other)))
    )
    clients(failuresFirst(status.clients))
    failures(grouped(status.failures))
  }
}

const failureCount = (failures: number) => h(`span.${failures > 0 ? "bad" : ""}`, Format.number(failures))

const isHealthy = ({ problems, state }: Status["processes"][number]): boolean =>
  state === "ready" && problems.length === 0

const failuresFirst = <Row extends { readonly failures: number }>(rows: ReadonlyArray<Row>) =>
  [...rows].sort((one, other) => other.failures - one.failures)

/** Groups equal failures. Each group is its newest one, with their number. */
const grouped = (failures: Status["failures"]) => {
  const groups = new Map<string, Status["failures"][number] & { times: number }>()
  for (const failure of failures) {
    const { client, code, operation, route, status } = failure
    const id = JSON.stringify([status, code, client, operation, route])
    const group = groups.get(id) ?? { ...failure, times: 0 }
    group.times += 1
    groups.set(id, group)
  }
  return [...groups.values()]
}

const readinessStyles: Readonly<Record<string, "good" | "warn" | "bad">> = {
  ready: "good",
  draining: "warn",
  "shutting-down": "warn"
}

export const summary = (
  { now, anonymousAccess, processes, sandbox, scope, startedAt, state, store }: Status
): ReadonlyArray<Node> => [
  pill(readinessStyles[state] ?? "bad", state),
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
  ...(store.kind === "redis"
    ? [
      scope === "fleet"
        ? pill("plain", `fleet of ${processes.length} ${processes.length === 1 ? "process" : "processes"}`)
        : pill("bad", "only this process")
    ]
    : []),
  pill(
    "plain",
    h("span.number", `up ${Format.duration(Date.parse(now) - Date.parse(startedAt))}`)
  )
]
