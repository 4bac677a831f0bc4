/** What the operations listener answers: how the proxy is, what it counted, and what an operator may have it do. */
import type { EngineService } from "@blockquarry/http/Engine"
import type { AddressReport, LeftToday } from "@blockquarry/http/Report"
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Record from "effect/Record"
import { randomUUID } from "node:crypto"
import { addresses } from "../Addresses.ts"
import type { Request } from "../App.ts"
import type { Budget } from "../Budgets/Standing.ts"
import type { Client } from "../Clients.ts"
import { type AddressName, addressNames, type Config, isOpen } from "../Config/Config.ts"
import * as CrossSite from "../CrossSite.ts"
import * as Failure from "../Failure.ts"
import type { Handler } from "../Handle.ts"
import * as Health from "../Health.ts"
import type { Instance } from "../Instance.ts"
import * as StatusPage from "../Pages/StatusPage.ts"
import * as Question from "../Question.ts"
import * as Reply from "../Reply.ts"
import * as RequestTarget from "../RequestTarget.ts"
import * as Router from "../Router.ts"
import type { Service } from "../Upstream.ts"
import * as Access from "./Access.ts"
import * as Metrics from "./Metrics.ts"
import * as Status from "./Status.ts"
import type { Tally } from "./Tally.ts"

/** What the desk looks at. */
export interface Desk {
  readonly instance: () => Instance
  readonly engine: EngineService
  readonly tally: Tally
  readonly version: string
  /** Lines for a terminal that make a first request. */
  readonly tries: () => ReadonlyArray<string>
  /** The metrics as text, brought up to date. */
  readonly metrics: Effect.Effect<string>
  /** Whether the main listener is about to stop. */
  readonly draining: () => boolean
}

/** Requests to the desk are no traffic: they are neither counted nor logged, but for what goes wrong, and for what is forgotten. */
export const handler = (desk: Desk): Handler => {
  const over = () => {}
  const identified = (reply: Reply.Reply, id: string): Reply.Reply => ({
    ...reply,
    headers: { ...reply.headers, "x-request-id": id }
  })
  return {
    handle: (request) => {
      const id = randomUUID()
      const reply = answer(desk, request).pipe(
        Effect.catchTag("Failure", (failure) => Effect.succeed(Failure.toReply(failure, id))),
        Effect.catchAllDefect((defect) =>
          Effect.as(
            Effect.logError("the operations listener failed", defect),
            Failure.toReply(Failure.internal, id)
          )
        ),
        Effect.map((reply) => identified(reply, id))
      )
      return { reply, over }
    },
    refuse: (status) => ({
      reply: identified({ ...Failure.toReply(Failure.malformed, "-"), status }, "-"),
      over
    })
  }
}

const answer = (desk: Desk, request: Request): Effect.Effect<Reply.Reply, Failure.Failure> =>
  Effect.flatMap(RequestTarget.read(request.target), ({ path, query }) => {
    const page = pages.get(path)
    if (page === undefined) return Effect.fail(unknownPage)
    const access = page.confidential ? Access.check(desk.instance().config, request) : Either.void
    if (Either.isLeft(access)) return Effect.fail(access.left)
    return Router.answering(request.method, page.takes, page.reply(desk, request, query))
  })

interface Page {
  readonly takes: "GET" | "POST"
  /** Whether it says or does what is not for everybody who reaches the listener. */
  readonly confidential: boolean
  readonly reply: (
    desk: Desk,
    request: Request,
    query: RequestTarget.RequestTarget["query"]
  ) => Effect.Effect<Reply.Reply, Failure.Failure>
}

const open = (reply: Page["reply"]): Page => ({ takes: "GET", confidential: false, reply })

const confidential = (reply: Page["reply"]): Page => ({ takes: "GET", confidential: true, reply })

const service = ({ instance }: Desk) => instance().upstream.service

const usage = ({ tally }: Desk) => {
  const { clients, since, totals } = tally.usage()
  return {
    since: new Date(since).toISOString(),
    totals,
    clients: clients.map(({ lastSeen, refusedBy, ...counts }) => ({
      ...counts,
      refusedBy: Object.fromEntries(refusedBy),
      lastSeen: new Date(lastSeen).toISOString()
    }))
  }
}

/** Forgets the answer to one question (`?target=`, a path with its query), or every answer. */
const purge: Page["reply"] = ({ engine, instance }, { headers }, query) =>
  Effect.gen(function*() {
    yield* CrossSite.checkOrigin(headers)
    const [first, ...more] = query
    if (more.length > 0 || first !== undefined && first[0] !== "target") return yield* Effect.fail(oneTarget)
    const target = first?.[1]
    if (target === undefined) {
      if (!(yield* engine.clear)) return yield* Effect.fail(away)
      yield* Effect.logInfo("every kept answer was forgotten, as an operator asked")
      return Reply.json(200, { purged: "everything" })
    }
    const { path, query: asked } = yield* RequestTarget.read(target)
    const match = Router.find(path)
    if (match === undefined || match.operation.method !== "GET") {
      return yield* Effect.fail(Failure.unknownPath)
    }
    const question = yield* Question.read(match, asked, undefined)
    if (!(yield* instance().upstream.forget(question))) return yield* Effect.fail(away)
    yield* Effect.logInfo(`a kept answer of ${match.operation.id} was forgotten, as an operator asked`)
    return Reply.json(200, { purged: target })
  })

const oneTarget = Failure.make(
  "invalid-request",
  "expected nothing, to forget every answer, or ?target= with one path and its query, percent-encoded as in " +
    "?target=%2Fapi%2Fv2.2%2F…%3Fchain%3Deth%26limit%3D2"
)

const away = Failure.make(
  "store-away",
  "Redis, where answers are kept, is away; ask again when it is back, for the answers will be too"
)

/** What is known of each address, whether it was asked or not. */
const upstreamOf = (
  { addresses: set, keys }: Service,
  reports: ReadonlyArray<AddressReport>,
  today: { readonly [A in AddressName]: ReadonlyArray<LeftToday> }
): ReadonlyArray<Status.Upstream<number>> =>
  addressNames.map((address) => {
    const url = set[address]
    const host = url === undefined ? null : new URL(url).host
    const report = reports.find(({ base }) => base === host)
    return {
      address,
      host,
      breaker: report?.breaker ?? "closed",
      retryAt: report?.retryAt ?? null,
      keys: keys[address].map(({ label }) => {
        const { reason = null, state = "ready", until = null } = report?.keys.find((key) =>
          key.label === label
        ) ?? {}
        const cap = today[address].find((key) => key.label === label)
        const perDay = cap === undefined ? null : { limit: cap.limit, left: cap.left }
        return { name: label, state, reason, until, perDay }
      })
    }
  })

/** A client's budgets by the names that people know them by. */
const budgetsOf = (
  { budgets: { mode } }: Config,
  { limit: rate }: Client,
  standing: ReadonlyArray<Budget>
): ReadonlyArray<Status.Budget> =>
  standing.map(({ left, limit, name }) => ({
    name: name === "day" || rate === null ? "day" : nameOf(rate.window),
    limit,
    left,
    shadow: mode === "shadow"
  }))

const nameOf = (window: number): string =>
  window === 1000 ? "second" : Duration.format(Duration.millis(window))

const status = (desk: Desk): Effect.Effect<Reply.Reply> =>
  Effect.gen(function*() {
    const { budgets, clients, config, upstream } = desk.instance()
    const now = yield* Clock.currentTimeMillis
    const reports = yield* desk.engine.report
    const today = yield* Effect.all(Record.map(addresses, (_, address) =>
      Either.match(upstream.target(address), {
        onLeft: () => Effect.succeed([]),
        onRight: desk.engine.leftToday
      })))
    const gauge = yield* Metric.value(Metric.tagged(Telemetry.storeAway, "store", "cache"))
    const standing = yield* Effect.forEach(
      clients.all,
      (client) =>
        Effect.map(budgets.standing(client), (standing) => ({
          name: client.name,
          budgets: budgetsOf(config, client, standing)
        })),
      { concurrency: 16 }
    )
    return Reply.json(
      200,
      Status.make(desk.tally.snapshot(now), {
        version: desk.version,
        now,
        state: Health.state(upstream.service, desk.draining()),
        open: isOpen(config),
        sandbox: config.upstream.sandbox,
        upstream: upstreamOf(upstream.service, reports, today),
        store: { kind: config.redis === null ? "memory" : "redis", away: gauge.value > 0 },
        clients: standing
      }),
      { "cache-control": "no-store" }
    )
  })

const unknownPage = Failure.make(
  "unknown-path",
  "there is nothing at this path; there are /, /status.json, /usage, /metrics, /livez, /readyz and POST /purge"
)

const pages: ReadonlyMap<string, Page> = new Map([
  ["/", open(({ tries }) => Effect.sync(() => StatusPage.reply({ tries: tries() })))],
  ["/status.json", confidential(status)],
  [
    "/usage",
    confidential((desk) => Effect.sync(() => Reply.json(200, usage(desk), { "cache-control": "no-store" })))
  ],
  ["/purge", { takes: "POST", confidential: true, reply: purge }],
  [
    "/metrics",
    open(({ metrics }) => Effect.map(metrics, (text) => Reply.text(200, Metrics.contentType, text)))
  ],
  ["/livez", open(() => Effect.succeed(Health.live))],
  ["/readyz", open((desk) => Effect.suspend(() => Health.ready(service(desk), desk.engine, desk.draining())))]
])
