/** Creates the parts of the status page from a status. */
import type { Status } from "../../Status.ts"
import { type Child, h } from "./dom.ts"
import * as Format from "./formatting.ts"
import { counts, makeTable, names } from "./table.ts"

const pill = (kind: "good" | "warn" | "bad" | "plain", ...text: ReadonlyArray<Child>) =>
  h(`span.pill ${kind}`, ...text)

const stateStyles: Readonly<Record<string, "good" | "warn">> = {
  ready: "good",
  closed: "good",
  draining: "warn",
  "shutting-down": "warn",
  "half-open": "warn"
}

/** Shows the state of a process or a circuit breaker. */
const state = (name: string, suffix = "") => pill(stateStyles[name] ?? "bad", `${name}${suffix}`)

/** Returns the time that remains until a moment, for example `, retry in 21 s`; empty if the moment has passed. */
const remainingTime = (prefix: string, time: string | null, now: number): string => {
  const remainingMs = time === null ? 0 : Date.parse(time) - now
  return remainingMs > 0 ? `, ${prefix} in ${Format.duration(remainingMs)}` : ""
}

type QuotaRow = Status["quotas"][number]

/** An API key has no soft limit. */
type Quota = Pick<QuotaRow, "limit" | "remaining"> & Partial<QuotaRow>

const used = ({ limit, remaining }: Quota): number => limit - remaining

const isExhausted = ({ limit, remaining, soft }: Quota): boolean => remaining < 1 && soft !== limit

/** At least 2 if it rejects requests, at least 1 if it warns. */
const urgency = (quota: Quota): number =>
  (isExhausted(quota) ? 2 : quota.warned === true ? 1 : 0) + used(quota) / (quota.limit + 1)

/** Creates a bar that shows how much of a quota remains. A shadow quota is counted and not enforced. */
const meter = (name: string, quota: Quota) => {
  const { limit, remaining, shadow, soft = null } = quota
  return h(
    `label.meter ${shadow === true ? "shadow" : ""}`,
    h(
      "span",
      name,
      soft === null ? "" : h("em", soft === limit ? ", only warns" : `, soft limit ${Format.number(soft)}`),
      shadow === true ? h("em", { title: "Dry run: not enforced" }, ", dry run") : "",
      " ",
      isExhausted(quota) ? pill("bad", "exhausted") : quota.warned === true ? pill("warn", "warning") : ""
    ),
    h("span.number", `${Format.number(remaining)} / ${Format.number(limit)}`),
    h("meter", {
      max: limit,
      value: remaining,
      low: soft === null ? limit * 0.15 : limit - soft,
      optimum: limit
    })
  )
}

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
    tile("Cost saved", number(savedCost), `${ratio(savedCost, upstreamCost + savedCost)} of total`, "accent"),
    tile("Upstream cost", number(upstreamCost), "units"),
    tile("Failures", number(failures), `${ratio(failures, requests)} of requests`, failures > 0 ? "bad" : ""),
    tile("Rejected", number(totals.rejected), `${number(totals.clientDisconnects)} client disconnects`),
    tile("Response bytes", Format.bytes(totals.bytes), "sent to clients")
  ]
}

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
    dailyQuota === null ? "" : meter("daily quota", dailyQuota)
  )
}

/** Creates the tables of the page. Returns a function that shows a status in them. */
export const makeTables = () => {
  let now = 0
  const failures = makeTable<ReturnType<typeof grouped>[number]>("failures", "Recent failures (last 50)", [
    ["Last", "", ({ at }) => Format.dateTime(Date.parse(at)), ({ at }) => Date.parse(at)],
    ...counts("times"),
    ["Status", "", ({ status }) => pill("bad", String(status)), ({ status }) => status],
    names("Code", ({ code }) => code ?? "upstream"),
    names("Clients", ({ clients }) => clients.size > 3 ? `${clients.size} clients` : [...clients].join(", ")),
    names("Operation", ({ operation, route }) => operation ?? route),
    names(
      "Request ID",
      ({ requestId }) => requestId,
      (id, { process }) => h("span", h("code", id), h("div.mono muted", process))
    )
  ])
  const quotas = makeTable<Status["quotas"][number]>("quotas", "Quotas of teams and of all clients", [
    names("Team", ({ team }) => team ?? "all clients"),
    [
      "Remaining",
      "quotas",
      (quota) => meter(`per ${quota.name.slice(quota.name.lastIndexOf("-") + 1)}`, quota)
    ],
    // What a soft quota counts beyond its limit is not known.
    [
      "Used",
      "number",
      (quota) =>
        `${Format.number(used(quota))}${quota.remaining < 1 && quota.soft === quota.limit ? " or more" : ""}`,
      used
    ],
    ["Resets in", "number", ({ resetSeconds }) => Format.duration(resetSeconds * 1000)]
  ])
  const processes = makeTable<Status["processes"][number]>("processes", "Processes", [
    names("Process", ({ name }) => name),
    names("State", ({ state }) => state, (name) => state(name)),
    names("Version", ({ version }) => version),
    ["Up", "number", ({ startedAt }) => Format.duration(now - Date.parse(startedAt))],
    ...counts("requests", "failures", "upstreamCost"),
    ["Problems", "", ({ problems }) => h("span", ...problems.map((problem) => h("div.bad", problem)))]
  ])
  const upstreams = makeTable<Status["upstreams"][number]>("upstreams", "Upstreams", [
    ["Upstream", "", ({ name }) => h("b", name)],
    ["Host", "", ({ host }) => h("span.mono muted", host ?? "no base URL")],
    ["Circuit breaker", "", ({ circuitBreaker, host, retryAt }) =>
      host === null
        ? pill("plain", "not configured")
        : state(circuitBreaker, remainingTime("retry", retryAt, now))],
    [
      "API keys",
      "quotas",
      ({ keys }) => h("div", ...keys.length === 0 ? ["none"] : keys.map((each) => key(each, now)))
    ]
  ])
  const clients = makeTable<Status["clients"][number]>("clients", "Clients", [
    names("Client", ({ name }) => name, (name, { disabled }) =>
      h(
        "span",
        h("span.mono", `${name} `),
        disabled === null
          ? ""
          : pill("bad", `disabled by ${disabled.operator}, ${Format.ago(Date.parse(disabled.at), now)}`)
      )),
    [
      "Last seen",
      "",
      ({ lastSeen }) => lastSeen === null ? "never" : Format.ago(Date.parse(lastSeen), now),
      ({ lastSeen }) => lastSeen === null ? 0 : Date.parse(lastSeen)
    ],
    ...counts("requests"),
    ["Hit ratio", "number", ({ hits, requests }) => ratio(hits, requests)],
    ...counts("rejected", "failures", "upstreamCost", "savedCost"),
    [
      "Quotas: remaining",
      "quotas",
      ({ quotas }) =>
        h(
          "div",
          ...quotas.length === 0 ? ["no limits"] : quotas.map((quota) => meter(`per ${quota.name}`, quota))
        ),
      ({ quotas }) => Math.max(0, ...quotas.map(urgency))
    ]
  ])
  return (status: Status): void => {
    now = Date.parse(status.now)
    failures(grouped(status.failures))
    quotas(status.quotas.length === 0 ? null : highestFirst(status.quotas, urgency))
    processes(status.store.kind === "memory" ? null : highestFirst(status.processes, troubleOf))
    upstreams(status.upstreams)
    clients(highestFirst(status.clients, ({ disabled, failures }) => disabled === null ? failures : 1e12))
  }
}

const troubleOf = ({ failures, problems, state }: Status["processes"][number]): number =>
  state === "ready" && problems.length === 0 ? failures : 1e12

const highestFirst = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number): ReadonlyArray<Row> =>
  [...rows].sort((one, other) => of(other) - of(one))

/** Groups failures of the same kind, such as those of one outage. Each group is its newest one, with their number and clients. */
const grouped = (failures: Status["failures"]) => {
  const groups = new Map<string, Status["failures"][number] & { times: number; clients: Set<string> }>()
  for (const failure of failures) {
    const { client, code, operation, route, status } = failure
    const id = JSON.stringify([status, code, operation ?? route])
    const group = groups.get(id) ?? { ...failure, times: 0, clients: new Set() }
    group.times += 1
    group.clients.add(client ?? "unauthenticated")
    groups.set(id, group)
  }
  return [...groups.values()]
}

export const summary = (
  { anonymousAccess, now, processes, sandbox, startedAt, state: readiness, store }: Status
): ReadonlyArray<Node> => [
  state(readiness),
  ...sandbox ? [pill("plain", "sandbox")] : [],
  ...anonymousAccess ? [pill("plain", "anonymous access")] : [],
  store.kind === "memory"
    ? pill("plain", "store: memory")
    : store.available
    ? pill("plain", `redis: fleet of ${processes.length} ${processes.length === 1 ? "process" : "processes"}`)
    : pill(
      "bad",
      `redis ${store.misconfigured ? "misconfigured, see the log" : "unavailable"}: only this process`
    ),
  pill("plain", h("span.number", `up ${Format.duration(Date.parse(now) - Date.parse(startedAt))}`))
]
