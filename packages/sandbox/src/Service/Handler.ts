/** From a request to its answer: route, key, fault, operation. */
import { type ChainName, chainName } from "@blockquarry/core/Chain"
import { parse } from "@blockquarry/core/LosslessJson"
import { receive } from "@blockquarry/core/Wire"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ChainLedger, Ledger } from "../Ledger.ts"
import * as Cursor from "./Cursor.ts"
import { directives, type Fault, FaultText } from "./Fault.ts"
import * as Holders from "./Holders.ts"
import * as Journal from "./Journal.ts"
import * as Keys from "./Keys.ts"
import { type Answer, json, readUrl, type Request, sized } from "./Message.ts"
import { answerOf, badRequest, notFound, Refusal } from "./Refusal.ts"
import { resolve, type Route } from "./Route.ts"
import * as Selection from "./Selection.ts"
import type { Settings } from "./Settings.ts"
import { instead, spoil } from "./Spoiling.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

/** The header with which a request asks for a fault. */
export const faultHeader = "x-sandbox-fault"

/** The service without its doors. */
export interface Handler {
  readonly handle: (request: Request) => Effect.Effect<Answer>
  readonly state: State.State
  readonly journal: Journal.Journal
}

export const make = (ledger: Ledger, settings: Settings): Effect.Effect<Handler> =>
  Effect.gen(function*() {
    const state = yield* State.make(ledger, settings)
    const journal = yield* Journal.make(settings.remembered)
    const cursors = Cursor.make(ledger.seed)
    const holders = Holders.make()
    const selections = Selection.make()

    const answer = Effect.fnUntraced(function*(request: Incoming, fault: Fault) {
      const { network, operation, parameters } = yield* admit(request)
      const body = yield* readBody(request.body)
      const { written } = receive(operation, parameters, request.query, body)
      const chains = yield* state.chains
      const world: World = {
        ledger,
        settings,
        state,
        chains,
        network,
        cursors,
        holders,
        selections,
        fault: listFault(fault)
      }
      const document = yield* operation.answer(written, world)
      if (settings.growth > 0 && operation.api === "data") {
        yield* state.grow(askedChain(chains, written["chain"]), settings.growth)
      }
      return json(200, document)
    })

    const handle = Effect.fnUntraced(function*(received: Request) {
      const { path, query } = readUrl(received.url)
      const request: Incoming = { ...received, path, query, route: resolve(path, query) }
      const operation = request.route?.operation.id ?? null
      const { body, headers, method } = received
      yield* journal.record({ method, path, query, headers, body, operation })
      const asked = headers[faultHeader]
      const read = asked === undefined
        ? Either.right(yield* state.nextFault({ operation, path }))
        : Schema.decodeEither(FaultText)(asked)
      if (Either.isLeft(read)) {
        return sized(
          answerOf(badRequest(`unknown fault: ${asked}`, `known faults: ${directives.join(", ")}`))
        )
      }
      const fault: Fault = read.right ?? {}
      if (fault.delay !== undefined) yield* Effect.sleep(fault.delay)
      const replaced = instead(fault)
      if (replaced !== undefined) return sized(replaced)
      const answered = yield* Effect.catchAll(
        answer(request, fault),
        (refusal) => Effect.succeed(answerOf(refusal))
      )
      if (fault.spoil === "hang") yield* Effect.never
      return sized(spoil(answered, fault.spoil))
    })

    return { handle, state, journal }
  })

/** A request with its path and query read. */
interface Incoming extends Request {
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly route: Route | undefined
}

/** The route of a request with a known path, its method and a good key. */
const admit = ({ headers, method, path, route }: Incoming): Effect.Effect<Route, Refusal> => {
  if (route === undefined) return Effect.fail(notFound(`Cannot ${method} ${path}`))
  if (route.operation.method !== method) {
    return Effect.fail(
      new Refusal({
        status: 405,
        problems: [`Method ${method} is not allowed here`],
        headers: { allow: route.operation.method }
      })
    )
  }
  return Effect.as(Keys.check(headers["x-api-key"]), route)
}

const readBody = (text: string): Either.Either<unknown, Refusal> =>
  text === ""
    ? Either.right(undefined)
    : Either.mapLeft(parse(text), ({ message }) => badRequest(`The body is not JSON: ${message}`))

const listFault = ({ spoil }: Fault): World["fault"] =>
  spoil === "repeat-cursor" || spoil === "empty-page" ? spoil : undefined

/** The chain that grows with a request: the one asked about. */
const askedChain = (chains: ReadonlyMap<ChainName, ChainLedger>, written: unknown): ChainName => {
  const name = typeof written === "string" ? chainName(written) : undefined
  return name !== undefined && chains.has(name) ? name : "eth"
}
