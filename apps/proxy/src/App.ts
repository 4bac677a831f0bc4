/** What the proxy does with a request, whatever server it came through. */
import type { EngineService } from "@blockquarry/http/Engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as CacheControl from "./Answers/CacheControl.ts"
import * as CacheStatus from "./Answers/CacheStatus.ts"
import type { Encoded } from "./Answers/Encoded.ts"
import * as Render from "./Answers/Render.ts"
import * as Body from "./Body.ts"
import * as Clients from "./Clients.ts"
import * as CrossSite from "./CrossSite.ts"
import * as Failure from "./Failure.ts"
import type { Instance } from "./Instance.ts"
import * as Lists from "./Lists.ts"
import * as Notes from "./Notes.ts"
import type { Process } from "./Process.ts"
import * as Question from "./Question.ts"
import * as Reply from "./Reply.ts"
import * as RequestTarget from "./RequestTarget.ts"
import * as Router from "./Router.ts"

export interface Request {
  readonly method: string
  /** As it stood in the request line. */
  readonly target: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address at the other end of the connection. */
  readonly remote: string
  /** The body, of so many bytes at most. */
  readonly body: (cap: number) => Effect.Effect<Uint8Array, Failure.Failure>
  /** Whether the server is about to stop. */
  readonly draining: boolean
  /** Whether the time is nearly over, by now, that it has to end what it took. */
  readonly ending: () => boolean
}

/** Answers a request, and writes down what it finds out about it. */
export const answer = (
  { encoded, engine, pages }: Process,
  instance: Instance,
  request: Request,
  notes: Notes.Notes
): Effect.Effect<Reply.Reply, Failure.Failure> =>
  Effect.suspend(() => {
    const { method, target } = request
    if (target === "*" && method === "OPTIONS") {
      return Effect.succeed(Reply.empty(204, { allow: "GET, HEAD, POST, OPTIONS" }))
    }
    if (target.length > instance.config.limits.target) return Effect.fail(Failure.targetTooLong)
    return Effect.flatMap(RequestTarget.read(target), ({ path, query }) => {
      const page = pages.get(path)
      if (page !== undefined) {
        notes.route = path
        return Router.answering(method, "GET", page(instance.upstream.service, request.draining))
      }
      const list = path.startsWith(Lists.prefix)
      const match = Router.find(list ? path.slice(Lists.prefix.length - 1) : path)
      if (match === undefined) return Effect.fail(Failure.unknownPath)
      notes.route = list ? Lists.prefix + match.route.slice(1) : match.route
      notes.operation = match.operation.id
      const asked: Asked = { instance, encoded, engine, request, notes, match, query }
      return Router.answering(
        method,
        match.operation.method,
        Effect.flatMap(admit(asked), (client) => list ? walk(asked, client) : ask(asked, client))
      )
    })
  })

/** A request for an operation. */
interface Asked {
  readonly instance: Instance
  readonly encoded: Encoded
  readonly engine: EngineService
  readonly request: Request
  readonly notes: Notes.Notes
  readonly match: Router.Match
  readonly query: RequestTarget.RequestTarget["query"]
}

/** Nothing is looked at, kept or asked before it is known who asks. */
const admit = (
  { instance, match: { operation }, notes, request }: Asked
): Either.Either<Clients.Client, Failure.Failure> =>
  Either.flatMap(instance.clients.identify(request), (client) => {
    notes.client = client.name
    return Clients.allowed(client, operation.id)
      ? Either.right(client)
      : Either.left(Clients.outOfScope(operation.id))
  })

/** The client's own headers end here: the key is the proxy's, and nothing else is the service's business. */
const ask = (asked: Asked, client: Clients.Client): Effect.Effect<Reply.Reply, Failure.Failure> =>
  Effect.gen(function*() {
    const { encoded, instance: { budgets, config, questions, upstream }, match, notes, query, request } =
      asked
    const { operation } = match
    const body = operation.method === "POST" ? yield* readBody(request, config.limits.body) : undefined
    const question = yield* Question.read(match, query, body)
    if (operation.method === "GET") questions.set(request.target, question)
    const charge = yield* budgets.take(client, operation.cost)
    Notes.charge(notes, charge)
    const wish = CacheControl.wish(request.headers["cache-control"], request.headers["pragma"])
    const caching = config.cache.enabled && wish !== "no-store" && operation.method === "GET"
    const served = yield* upstream.ask(question, caching ? wish : "no-store", notes.receipt)
    notes.cache = CacheStatus.stateOf(served, caching)
    // A stale answer saves nothing: the service was asked, or is being asked.
    notes.saved = served.source === "cache" ? operation.cost : 0
    const now = yield* Clock.currentTimeMillis
    return yield* Render.reply({ ...served, wish, caching, now }, request.headers, encoded)
  })

/** The cursor may be one of our own, which the service never sees. */
const walk = (
  { engine, instance: { budgets, upstream }, match, notes, query, request: { ending, headers, method } }:
    Asked,
  client: Clients.Client
): Effect.Effect<Reply.Reply, Failure.Failure> =>
  Effect.flatMap(
    Question.read(match, query.filter(([name]) => name !== "cursor"), undefined),
    (question) => {
      const [cursor, second] = query.flatMap(([name, value]) =>
        name === "cursor" && value !== "" ? [value] : []
      )
      if (second !== undefined) return Effect.fail(twoCursors)
      const wish = CacheControl.wish(headers["cache-control"], headers["pragma"])
      // Whether a list is kept to its end nobody knows before.
      if (wish === "only-if-cached") return Effect.fail(Failure.notKept)
      const asked = { question, cursor, client, budgets, engine, upstream, notes, wish, ending }
      return method === "HEAD" ? Lists.head(asked) : Lists.reply(asked)
    }
  )

const twoCursors = Failure.make("invalid-request", "cursor: expected one, that of the last line of a list")

const readBody = ({ body, headers }: Request, cap: number): Effect.Effect<object, Failure.Failure> =>
  Effect.zipRight(CrossSite.check(headers), Effect.flatMap(body(cap), (bytes) => Body.parse(bytes, headers)))
