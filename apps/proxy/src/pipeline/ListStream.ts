/**
 * Whole lists, under a prefix of our own: every record of a list, page after page, one a line (NDJSON), no faster than
 * the client reads them. The last line says how it ended; a stream without it was cut off.
 */
import { type AnyOperation, isList } from "@blockquarry/core/Operation"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import { encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import { type Engine, RawRecords } from "@blockquarry/http/Gateway"
import type { CacheMode } from "@blockquarry/http/ResponseCache"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import type { UpstreamRequest } from "../exchange/UpstreamRequest.ts"
import type { ClientQuotas } from "../quota/ClientQuotas.ts"
import { redactMessage, type UpstreamClient } from "../upstream/UpstreamClient.ts"

/** What stands before the path of a list. */
export const listPrefix = "/all/"

export interface ListRequest {
  readonly upstreamRequest: UpstreamRequest
  /** Continues a list that broke off. */
  readonly cursor: string | undefined
  readonly client: AuthenticatedClient
  readonly quotas: ClientQuotas
  readonly engine: Engine.EngineService
  readonly upstream: UpstreamClient
  readonly context: RequestContext.RequestContext
  readonly cacheMode: CacheMode
  /** Whether the proxy stops before long. */
  readonly shouldEndStreams: () => boolean
}

/** A page is waited for longer than a single question: a list is in no hurry, and nobody likes to begin anew. */
const pageQuotaWait = Duration.minutes(1)

const headers = { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" }

/** That there is such a list, and nothing asked for it. */
export const head = (
  { upstreamRequest: { upstreamName, operation }, upstream }: ListRequest
): Effect.Effect<ProxyResponse, ProxyError.ProxyError> =>
  isList(operation)
    ? Effect.as(upstream.resolve(upstreamName), { status: 200, headers, body: Stream.empty })
    : Effect.fail(notAList(operation))

/** The first page is asked before anything is sent, so that what fails at once fails with a status. */
export const streamList = (listRequest: ListRequest): Effect.Effect<ProxyResponse, ProxyError.ProxyError> =>
  Effect.gen(function*() {
    const { cursor, upstreamRequest: { upstreamName, input, operation, request }, upstream } = listRequest
    if (!isList(operation)) return yield* Effect.fail(notAList(operation))
    // Pages are asked for by what was read of the question: a filter that was not would be left out, and nobody told.
    const [unknownParameter] = request.query.slice(encodeRequest(operation, input).query.length)
    if (unknownParameter !== undefined) return yield* Effect.fail(unknownParameterError(unknownParameter[0]))
    const upstreamTarget = yield* upstream.resolve(upstreamName)
    const pages = RawRecords.pages(operation, listRequest.engine, upstreamTarget, input, { cursor })
    const scope = yield* Scope.make()
    const pullPage = yield* Scope.extend(Stream.toPull(pages), scope)
    const nextPage = nextPageOf(listRequest, pullPage)
    const firstPage = yield* Effect.onError(nextPage, (cause) => Scope.close(scope, Exit.failCause(cause)))
    return {
      status: 200,
      headers,
      body: Stream.ensuringWith(
        listLines(listRequest, firstPage, nextPage),
        (exit) => Scope.close(scope, exit)
      )
    }
  })

/** Charges a page, then asks for it. */
const nextPageOf = (
  { quotas, client, context, upstreamRequest: { operation }, upstream, cacheMode }: ListRequest,
  pull: Effect.Effect<Chunk.Chunk<RawRecords.RawPage>, Option.Option<ListOperationError>>
): Effect.Effect<RawRecords.RawPage, ProxyError.ProxyError> => {
  const page = pull.pipe(
    Effect.map(Chunk.head),
    Effect.mapError(Option.map(ProxyError.fromListError)),
    Effect.flatMap(Option.match({ onNone: () => Effect.fail(Option.none()), onSome: Effect.succeed })),
    Effect.catchAll((failure) => Effect.fail(Option.getOrElse(failure, () => ProxyError.internalError))),
    Effect.mapError((failure) => upstream.containsApiKey(failure.message) ? redactMessage(failure) : failure),
    Effect.filterOrFail(
      // One text, and JSON, so that every spelling of a key is found at once.
      ({ cursor, records }) =>
        !upstream.containsApiKey(`[${[JSON.stringify(cursor), ...records].join(",")}]`),
      () => apiKeyInPage
    ),
    CallOptions.withCallOptions({ cacheMode }),
    CallUsage.observeUsage((usage) => RequestContext.recordUsage(context, usage))
  )
  const charge = Effect.map(
    quotas.acquire(client, operation.cost, pageQuotaWait),
    (charge) => RequestContext.recordCharge(context, charge)
  )
  return Effect.zipRight(charge, page)
}

/** What comes next, where the list stands. */
type ListState =
  | { readonly _tag: "Page"; readonly page: RawRecords.RawPage; readonly records: number }
  | { readonly _tag: "After"; readonly cursor: string; readonly records: number }
  | { readonly _tag: "End"; readonly records: number }
  | { readonly _tag: "Over" }

/** A piece for each page, asked for when the one before has been read, and the last line. */
const listLines = (
  { shouldEndStreams, context }: ListRequest,
  firstPage: RawRecords.RawPage,
  nextPage: Effect.Effect<RawRecords.RawPage, ProxyError.ProxyError>
): Stream.Stream<Uint8Array> =>
  Stream.unfoldEffect<ListState, Uint8Array, never, never>(
    { _tag: "Page", page: firstPage, records: 0 },
    (state) => {
      switch (state._tag) {
        case "Page": {
          const { page: { cursor, records }, records: recordsBefore } = state
          const recordsAfter = recordsBefore + records.length
          return emit(
            records.map((record) => `${record}\n`).join(""),
            cursor === null
              ? { _tag: "End", records: recordsAfter }
              : { _tag: "After", cursor, records: recordsAfter }
          )
        }
        case "After":
          // Who asks elsewhere loses nothing; who is cut off later does not know where to go on.
          return Effect.matchEffect(shouldEndStreams() ? Effect.fail(ProxyError.shuttingDown) : nextPage, {
            onSuccess: (page) => emit("", { _tag: "Page", page, records: state.records }),
            onFailure: ({ code, message }) => {
              context.code = code
              const failure = { message, code, requestId: context.requestId }
              return emit(toLine({ failure, cursor: state.cursor }), { _tag: "Over" })
            }
          })
        case "End":
          return emit(toLine({ end: { records: state.records } }), { _tag: "Over" })
        case "Over":
          return Effect.succeedNone
      }
    }
  )

const encoder = new TextEncoder()

const toLine = (document: unknown): string => `${JSON.stringify(document)}\n`

const emit = (
  text: string,
  state: ListState
): Effect.Effect<Option.Option<readonly [Uint8Array, ListState]>> =>
  Effect.succeedSome([encoder.encode(text), state] as const)

const unknownParameterError = (name: string): ProxyError.ProxyError =>
  ProxyError.make(
    "invalid-request",
    `${name}: a whole list takes only what this proxy can read; leave this out, or ask page by page without ${
      listPrefix.slice(0, -1)
    }`
  )

const apiKeyInPage = ProxyError.make(
  "service-failed",
  "the service quoted the proxy's key in a page of this list, so that is withheld"
)

const notAList = ({ id }: AnyOperation): ProxyError.ProxyError =>
  ProxyError.make("unknown-path", `${id} is no list; ask for it without ${listPrefix.slice(0, -1)}`)
