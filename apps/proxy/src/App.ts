/** What the proxy does with a request, whatever server it came through. */
import { all } from "@blockquarry/core/operations/index"
import type { WireRequest } from "@blockquarry/core/Wire"
import * as Effect from "effect/Effect"
import * as Body from "./Body.ts"
import { addressOf, type AddressSetting, ledgers } from "./Config.ts"
import * as CrossSite from "./CrossSite.ts"
import * as Failure from "./Failure.ts"
import * as Health from "./Health.ts"
import * as OpenApi from "./OpenApi.ts"
import * as Reply from "./Reply.ts"
import * as RequestTarget from "./RequestTarget.ts"
import { rewrite } from "./Rewrite.ts"
import * as Router from "./Router.ts"
import { Upstream } from "./Upstream.ts"

export interface Request {
  readonly method: string
  /** As it stood in the request line. */
  readonly target: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Effect.Effect<Uint8Array, Failure.Failure>
  /** Whether the server is about to stop. */
  readonly draining: boolean
}

/** What a request leads to, and by which route, so that the log needs no value of it. */
export interface Routed {
  readonly route: string
  readonly reply: Effect.Effect<Reply.Reply, Failure.Failure, Upstream>
}

const fail = (route: string, failure: Failure.Failure): Routed => ({ route, reply: Effect.fail(failure) })

export const route = (request: Request): Routed => {
  if (request.target === "*" && request.method === "OPTIONS") {
    return { route: "*", reply: Effect.succeed(Reply.empty(204, { allow: "GET, HEAD, POST, OPTIONS" })) }
  }
  const read = RequestTarget.read(request.target)
  if (read._tag === "Left") return fail("-", read.left)
  const { path, query } = read.right
  const page = pages.get(path)
  if (page !== undefined) return { route: path, reply: answering(request, "GET", page(request)) }
  const match = Router.find(path)
  if (match === undefined) return fail("-", Failure.unknownPath)
  return { route: match.route, reply: answering(request, match.operation.method, ask(match, query, request)) }
}

const answering = <R>(
  { method }: Request,
  takes: "GET" | "POST",
  reply: Effect.Effect<Reply.Reply, Failure.Failure, R>
): Effect.Effect<Reply.Reply, Failure.Failure, R> => {
  const allow = Router.allowed(takes)
  if (method === "OPTIONS") return Effect.succeed(Reply.empty(204, { allow }))
  return allow.split(", ").includes(method) ? reply : Effect.fail(Failure.methodNotAllowed(allow))
}

/** The client's own headers end here: the key is the proxy's, and nothing else is the service's business. */
const ask = (
  { operation, parameters }: Router.Match,
  query: WireRequest["query"],
  request: Request
): Effect.Effect<Reply.Reply, Failure.Failure, Upstream> =>
  Effect.gen(function*() {
    const chosen = operation.api === "ledger"
      ? yield* readNetwork(query)
      : { address: addressOf[operation.api], query }
    const body = operation.method === "POST" ? yield* readBody(request) : undefined
    const rewritten = yield* Effect.mapError(
      rewrite(operation, parameters, chosen.query, body),
      Failure.fromQueryError
    )
    const upstream = yield* Upstream
    const { bytes, headers, status } = yield* upstream.ask(operation, rewritten, chosen.address)
    return { status, headers, body: bytes }
  })

/** `network` is between the client and us: it chooses the ledger's address and is not sent. */
const readNetwork = (query: WireRequest["query"]) => {
  const values = query.flatMap(([name, value]) => name === "network" && value !== "" ? [value] : [])
  const ledger = Object.entries(ledgers).find(([network]) => values.every((value) => value === network))
  return ledger === undefined
    ? Effect.fail(
      Failure.make("invalid-request", `network: expected one of ${Object.keys(ledgers).join(", ")}`)
    )
    : Effect.succeed<{ address: AddressSetting; query: WireRequest["query"] }>({
      address: ledger[1],
      query: query.filter(([name]) => name !== "network")
    })
}

const readBody = ({ body, headers }: Request): Effect.Effect<object, Failure.Failure> =>
  Effect.zipRight(CrossSite.check(headers), Effect.flatMap(body, (bytes) => Body.parse(bytes, headers)))

const index = Reply.json(200, {
  name: "quarry-proxy",
  documentation: "/openapi.json",
  health: ["/livez", "/readyz"],
  operations: all.map((operation) => ({
    operation: operation.id,
    path: `${operation.method} ${Router.prefixes(operation)[0]}${operation.path}`,
    summary: operation.docs.summary
  }))
})

/** The proxy's own pages, beside the service's paths. */
const pages: ReadonlyMap<string, (request: Request) => Effect.Effect<Reply.Reply, never, Upstream>> = new Map(
  [
    ["/", () => Effect.succeed(index)],
    ["/livez", () => Effect.succeed(Health.live)],
    ["/readyz", ({ draining }: Request) => Health.ready(draining)],
    ["/openapi.json", () => Effect.sync(() => Reply.json(200, OpenApi.document()))]
  ]
)
