/// <reference lib="dom" />
/**
 * The parts of the status page, made of a status. The page carries the source of this function: it refers to nothing
 * but what it is given.
 */
import type { Status } from "../../Operations/Status.ts"
import type { Child, Dom } from "./dom.ts"
import type { Figures } from "./figures.ts"

export const panels = ({ h }: Dom, figures: Figures) => {
  const { ago, moment, number, percent, span, whole } = figures

  const pill = (kind: "good" | "warn" | "bad" | "plain", ...text: ReadonlyArray<Child>) =>
    h("span", { class: `pill ${kind}` }, ...text)

  /** When something is over, as seen from now. */
  const until = (moment: string | null, now: number): string => {
    const left = moment === null ? 0 : Date.parse(moment) - now
    return left > 0 ? ` for ${span(left)}` : ""
  }

  /** What is left of an allowance. */
  const meter = (name: string, left: number, limit: number, shadow: boolean) => {
    const part = limit > 0 ? Math.max(0, Math.min(1, left / limit)) : 0
    const bar = h("i")
    bar.style.width = `${part * 100}%`
    const said = `${whole(Math.max(0, Math.floor(left)))} of ${whole(limit)} left`
    return h(
      "div",
      { class: `meter ${shadow ? "shadow" : part === 0 ? "none" : part < 0.15 ? "low" : ""}` },
      h(
        "span",
        {},
        h(
          "span",
          {},
          name,
          shadow ? h("em", { title: "It is watched, and refuses nobody" }, " watched") : ""
        ),
        h("span", { class: "number" }, `${number(Math.max(0, Math.floor(left)))} / ${number(limit)}`)
      ),
      h("div", {
        class: "track",
        role: "meter",
        "aria-label": `${name}${shadow ? ", watched only" : ""}`,
        "aria-valuemin": 0,
        "aria-valuemax": limit,
        "aria-valuenow": Math.max(0, Math.min(limit, left)),
        "aria-valuetext": said
      }, bar)
    )
  }

  const budgetName = (name: string): string => name === "day" ? "today" : `per ${name}`

  const rate = (hits: number, requests: number): string => requests === 0 ? "–" : percent(hits / requests)

  const totals = ({ totals }: Status): ReadonlyArray<Node> => {
    const { attempts, bytes, cost, failures, hits, hungUp, refused, requests, saved, shared, stale } = totals
    const tile = (name: string, value: string, note: string, kind = "") =>
      h(
        "div",
        { class: `tile ${kind}` },
        h("dt", {}, name),
        h("dd", { class: "number" }, value),
        h("dd", { class: "note" }, note)
      )
    return [
      tile("Requests", number(requests), `${number(attempts)} sent to the service`),
      tile(
        "From the cache",
        rate(hits, requests),
        `${number(hits)} kept, ${number(stale)} stale, ${number(shared)} shared`
      ),
      tile(
        "Units saved",
        number(saved),
        cost + saved === 0 ? "of none asked for" : `${percent(saved / (cost + saved))} of what was asked for`,
        "accent"
      ),
      tile("Units spent", number(cost), "at the service"),
      tile(
        "Failures",
        number(failures),
        requests === 0 ? "of no requests" : `${percent(failures / requests)} of requests`,
        failures > 0 ? "bad" : ""
      ),
      tile("Refused", number(refused), `${number(hungUp)} hung up`),
      tile("Sent", figures.bytes(bytes), "of answers")
    ]
  }

  const breakers = { closed: "good", "half-open": "warn", open: "bad" } as const
  const breakerWords = { closed: "answering", "half-open": "being tried", open: "left alone" } as const
  const reasons = { refused: "refused by the service", exhausted: "used up", throttled: "throttled" } as const

  const key = (
    { name, perDay, reason, state, until: end }: Status["upstream"][number]["keys"][number],
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
          : pill("warn", `${reason === null ? "resting" : reasons[reason]}${until(end, now)}`)
      ),
      perDay === null ? "" : meter("units today", perDay.left, perDay.limit, false)
    )

  const upstream = (status: Status): ReadonlyArray<Node> => {
    const now = Date.parse(status.now)
    return status.upstream.map(({ address, breaker, host, keys, retryAt }) =>
      h(
        "li",
        {},
        h(
          "div",
          { class: "row" },
          h("h3", {}, address),
          host === null
            ? pill("plain", "not set")
            : pill(breakers[breaker], `${breakerWords[breaker]}${until(retryAt, now)}`)
        ),
        h("p", { class: "mono muted" }, host ?? "no address is set"),
        keys.length === 0
          ? host === null ? "" : h("p", { class: "muted" }, "no key")
          : h(
            "ul",
            { class: "keys", "aria-label": `keys of ${address}` },
            ...keys.map((each) => key(each, now))
          )
      )
    )
  }

  /** A cell that says its column where there is no room for columns. */
  const cell = (label: string, look: string, ...children: ReadonlyArray<Child>) =>
    h("td", { role: "cell", "data-label": label, class: look }, ...children)

  const clients = (status: Status): ReadonlyArray<Node> => {
    const now = Date.parse(status.now)
    return status.clients.map(({ budgets, cost, failures, hits, lastSeen, name, refused, requests, saved }) =>
      h(
        "tr",
        { role: "row" },
        h("th", { role: "rowheader", scope: "row" }, h("span", { class: "mono" }, name)),
        cell("Last seen", "", lastSeen === null ? "never" : ago(Date.parse(lastSeen), now)),
        cell("Requests", "number", number(requests)),
        cell("Kept", "number", rate(hits, requests)),
        cell("Refused", "number", number(refused)),
        cell("Failures", failures > 0 ? "number bad" : "number", number(failures)),
        cell("Spent", "number", number(cost)),
        cell("Saved", "number", number(saved)),
        cell(
          "Budgets",
          "budgets",
          budgets.length === 0
            ? h("span", { class: "muted" }, "no limits")
            : h(
              "div",
              {},
              ...budgets.map(({ left, limit, name, shadow }) => meter(budgetName(name), left, limit, shadow))
            )
        )
      )
    )
  }

  const failures = (status: Status): ReadonlyArray<Node> => {
    const now = Date.parse(status.now)
    return status.failures.map(({ at, client, code, operation, requestId, route, status }) =>
      h(
        "tr",
        { role: "row" },
        cell("When", "number", moment(Date.parse(at), now)),
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

  const stateOf = { ready: "good", stopping: "warn", "not configured": "bad" } as const

  const summary = ({ now, open, sandbox, startedAt, state, store }: Status): ReadonlyArray<Node> => [
    pill(stateOf[state], state),
    ...(sandbox ? [pill("plain", "sandbox")] : []),
    ...(open ? [pill("plain", "no token needed")] : []),
    store.away
      ? pill("bad", `${store.kind} is away: each process counts for itself`)
      : pill("plain", store.kind === "redis" ? "shared store: redis" : "store: memory"),
    pill("plain", h("span", { class: "number" }, `up ${span(Date.parse(now) - Date.parse(startedAt))}`))
  ]

  return { totals, upstream, clients, failures, summary }
}

export type Panels = ReturnType<typeof panels>
