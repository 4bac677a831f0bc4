/**
 * Whole lists, under a prefix of our own: every record of a list, page after page, one a line (NDJSON), no faster than
 * the client reads them. The last line says how it ended; a stream without it was cut off.
 */
import { type AnyOperation, isList } from "@blockquarry/core/Operation"
import type { WalkError } from "@blockquarry/core/QueryError"
import { writeRequest } from "@blockquarry/core/Wire"
import type { EngineService } from "@blockquarry/http/Engine"
import * as Override from "@blockquarry/http/Override"
import * as RawList from "@blockquarry/http/RawList"
import * as Receipt from "@blockquarry/http/Receipt"
import type { CacheMode } from "@blockquarry/http/ResponseCache"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Budgets } from "./Budgets.ts"
import type { Client } from "./Clients.ts"
import * as Failure from "./Failure.ts"
import * as Notes from "./Notes.ts"
import type { Question } from "./Question.ts"
import type { Reply } from "./Reply.ts"
import { type Upstream, withoutWords } from "./Upstream.ts"

/** What stands before the path of a list. */
export const prefix = "/all/"

export interface Asked {
  readonly question: Question
  /** Continues a list that broke off. */
  readonly cursor: string | undefined
  readonly client: Client
  readonly budgets: Budgets
  readonly engine: EngineService
  readonly upstream: Upstream
  readonly notes: Notes.Notes
  readonly wish: CacheMode
  /** Whether the proxy stops before long. */
  readonly ending: () => boolean
}

/** A page is waited for longer than a single question: a list is in no hurry, and nobody likes to begin anew. */
const patience = Duration.minutes(1)

const headers = { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" }

/** That there is such a list, and nothing asked for it. */
export const head = (
  { question: { address, operation }, upstream }: Asked
): Effect.Effect<Reply, Failure.Failure> =>
  isList(operation)
    ? Effect.as(upstream.target(address), { status: 200, headers, body: Stream.empty })
    : Effect.fail(noList(operation))

/** The first page is asked before anything is sent, so that what fails at once fails with a status. */
export const reply = (asked: Asked): Effect.Effect<Reply, Failure.Failure> =>
  Effect.gen(function*() {
    const { cursor, question: { address, input, operation, request }, upstream } = asked
    if (!isList(operation)) return yield* Effect.fail(noList(operation))
    // Pages are asked for by what was read of the question: a filter that was not would be left out, and nobody told.
    const [unread] = request.query.slice(writeRequest(operation, input).query.length)
    if (unread !== undefined) return yield* Effect.fail(notRead(unread[0]))
    const target = yield* upstream.target(address)
    const pages = RawList.pages(operation, asked.engine, target, input, { cursor })
    const scope = yield* Scope.make()
    const pull = yield* Scope.extend(Stream.toPull(pages), scope)
    const next = nextOf(asked, pull)
    const first = yield* Effect.onError(next, (cause) => Scope.close(scope, Exit.failCause(cause)))
    return {
      status: 200,
      headers,
      body: Stream.ensuringWith(lines(asked, first, next), (exit) => Scope.close(scope, exit))
    }
  })

/** Charges a page, then asks for it. */
const nextOf = (
  { budgets, client, notes, question: { operation }, upstream, wish }: Asked,
  pull: Effect.Effect<Chunk.Chunk<RawList.RawPage>, Option.Option<WalkError>>
): Effect.Effect<RawList.RawPage, Failure.Failure> => {
  const page = pull.pipe(
    Effect.map(Chunk.head),
    Effect.mapError(Option.map(Failure.fromWalkError)),
    Effect.flatMap(Option.match({ onNone: () => Effect.fail(Option.none()), onSome: Effect.succeed })),
    Effect.catchAll((failure) => Effect.fail(Option.getOrElse(failure, () => Failure.internal))),
    Effect.mapError((failure) => upstream.saysKey(failure.message) ? withoutWords(failure) : failure),
    Effect.filterOrFail(
      // One text, and JSON, so that every spelling of a key is found at once.
      ({ cursor, records }) => !upstream.saysKey(`[${[JSON.stringify(cursor), ...records].join(",")}]`),
      () => keyInPage
    ),
    Override.effect({ cacheMode: wish }),
    Receipt.effect(notes.receipt)
  )
  const charge = Effect.map(
    budgets.take(client, operation.cost, patience),
    (charge) => Notes.charge(notes, charge)
  )
  return Effect.zipRight(charge, page)
}

/** What comes next, where the list stands. */
type Place =
  | { readonly _tag: "Page"; readonly page: RawList.RawPage; readonly records: number }
  | { readonly _tag: "After"; readonly cursor: string; readonly records: number }
  | { readonly _tag: "End"; readonly records: number }
  | { readonly _tag: "Over" }

/** A piece for each page, asked for when the one before has been read, and the last line. */
const lines = (
  { ending, notes }: Asked,
  first: RawList.RawPage,
  next: Effect.Effect<RawList.RawPage, Failure.Failure>
): Stream.Stream<Uint8Array> =>
  Stream.unfoldEffect<Place, Uint8Array, never, never>(
    { _tag: "Page", page: first, records: 0 },
    (place) => {
      switch (place._tag) {
        case "Page": {
          const { page: { cursor, records }, records: before } = place
          const after = before + records.length
          return some(
            records.map((record) => `${record}\n`).join(""),
            cursor === null ? { _tag: "End", records: after } : { _tag: "After", cursor, records: after }
          )
        }
        case "After":
          // Who asks elsewhere loses nothing; who is cut off later does not know where to go on.
          return Effect.matchEffect(ending() ? Effect.fail(Failure.stopping) : next, {
            onSuccess: (page) => some("", { _tag: "Page", page, records: place.records }),
            onFailure: ({ code, message }) => {
              notes.code = code
              const failure = { message, code, requestId: notes.id }
              return some(line({ failure, cursor: place.cursor }), { _tag: "Over" })
            }
          })
        case "End":
          return some(line({ end: { records: place.records } }), { _tag: "Over" })
        case "Over":
          return Effect.succeedNone
      }
    }
  )

const encoder = new TextEncoder()

const line = (document: unknown): string => `${JSON.stringify(document)}\n`

const some = (text: string, place: Place): Effect.Effect<Option.Option<readonly [Uint8Array, Place]>> =>
  Effect.succeedSome([encoder.encode(text), place] as const)

const notRead = (name: string): Failure.Failure =>
  Failure.make(
    "invalid-request",
    `${name}: a whole list takes only what this proxy can read; leave this out, or ask page by page without ${
      prefix.slice(0, -1)
    }`
  )

const keyInPage = Failure.make(
  "service-failed",
  "the service quoted the proxy's key in a page of this list, so that is withheld"
)

const noList = ({ id }: AnyOperation): Failure.Failure =>
  Failure.make("unknown-path", `${id} is no list; ask for it without ${prefix.slice(0, -1)}`)
