/**
 * Streaming lists: all records of a list operation as NDJSON, with backpressure. The last line is `{"end":…}`, unless the
 * client does not want it, or `{"failure":…,"cursor":…}`. After a failure the response has no end: a tool that does not know
 * these lines would take it for complete.
 */
import { type AnyOperation, isList } from "@blockquarry/core/Operation"
import type { ListOperationError } from "@blockquarry/core/OperationError"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as RawRecords from "@blockquarry/http/gateway/RawRecords"
import type { CacheMode } from "@blockquarry/http/ResponseCache"
import { type HttpResponse, IncompleteBodyError } from "@blockquarry/server/HttpResponse"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import * as ClientLimits from "../quota/ClientLimits.ts"
import { encodeStream } from "../response/EncodedBodies.ts"
import {
  contextOf,
  type UpstreamRequest,
  withMemoryError,
  withRequestId
} from "../upstream/UpstreamClient.ts"
import { acquireSlot, type HandledRequest } from "./HandledRequest.ts"

/** The prefix of streaming lists, in front of the path of a list operation. */
export const listPrefix = "/all"

export interface ListRequest {
  readonly handled: HandledRequest
  readonly client: AuthenticatedClient
  readonly upstreamRequest: UpstreamRequest
  /** Resumes a list that ended early. */
  readonly cursor: string | undefined
  /** Whether a complete list has a last line. */
  readonly endLine: boolean
  readonly cacheMode: CacheMode
}

/** Pages wait longer for quotas than single requests: a rejected page ends the whole list. */
const pageQuotaWait = Duration.minutes(1)

const ndjson = { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" }

const render = (
  lines: Stream.Stream<Uint8Array, IncompleteBodyError>,
  { request }: HandledRequest
): HttpResponse => {
  const { body, headers } = encodeStream(lines, request.headers["accept-encoding"])
  return { status: 200, headers: { ...ndjson, ...headers }, body }
}

/** Streams all records of a list. Loads the first page before the response starts, so that early errors have a status. */
export const streamList = (listRequest: ListRequest): Effect.Effect<HttpResponse, ProxyError.ProxyError> =>
  Effect.gen(function*() {
    const { client, cursor, handled, upstreamRequest: { input, operation, request, upstreamName } } =
      listRequest
    if (!isList(operation)) return yield* Effect.fail(notAList(operation))
    // Pages are requested with the decoded input. An unknown parameter, such as a filter, would be dropped silently.
    const [unknown] = request.query.slice(encodeRequest(operation, input).query.length)
    if (unknown !== undefined) return yield* Effect.fail(unknownParameterError(operation, unknown))
    const target = yield* handled.configured.upstream.describe(upstreamName, operation)
    if (handled.request.method === "HEAD") return render(Stream.empty, handled)
    const page: Page = { context: CallContext.make() }
    const pages = RawRecords.pages(target.operation, handled.services.engine, target.upstream, input, {
      cursor,
      contextOf: () => page.context
    })
    const scope = yield* Scope.make()
    const pullPage = yield* Scope.extend(Stream.toPull(pages), scope)
    const firstPage = yield* Effect.onError(
      loadPage(listRequest, page, pullPage, Effect.suspend(() => acquireSlot(handled, client.name, "list"))),
      (cause) => Scope.close(scope, Exit.failCause(cause))
    )
    const nextPage = loadPage(listRequest, page, pullPage, Effect.void)
    const lines = listLines(listRequest, firstPage, nextPage)
    return render(Stream.ensuringWith(lines, (exit) => Scope.close(scope, exit)), handled)
  })

/** The page that is loaded. Each has a reservation of its own. */
interface Page {
  context: CallContext.CallContext
}

/** Charges the client for a page, then runs `beforePage`, then loads it. */
const loadPage = (
  { cacheMode, client, handled, upstreamRequest }: ListRequest,
  page: Page,
  pull: Effect.Effect<Chunk.Chunk<RawRecords.RawPage>, Option.Option<ListOperationError>>,
  beforePage: Effect.Effect<void, ProxyError.ProxyError>
): Effect.Effect<RawRecords.RawPage, ProxyError.ProxyError> => {
  const { configured: { clientQuotas, config, costs, upstream }, context, services: { now, quotas } } =
    handled
  const memory = quotas.limits.memoryOf(client.name, config)
  const loaded = pull.pipe(
    Effect.mapError(
      Option.match({ onNone: () => ProxyError.internalError, onSome: ProxyError.fromListError })
    ),
    Effect.flatMap((pages) => Either.fromOption(Chunk.head(pages), () => ProxyError.internalError)),
    Effect.mapError(upstream.withoutApiKey),
    Effect.filterOrFail(
      // A single JSON text, so that one scan finds every escaped form of an API key.
      ({ cursor, records }) =>
        !upstream.containsApiKey(`[${[JSON.stringify(cursor), ...records].join(",")}]`),
      () => apiKeyInPage
    ),
    Effect.filterOrFail(
      ({ records }) => context.hold.holdBody(memory, Arr.reduce(records, 0, addLength)),
      memory.error
    )
  )
  return context.ledger.reserving(
    context.facts,
    Effect.suspend(() =>
      clientQuotas.acquire(client, costs.ofRequest(upstreamRequest), now(), pageQuotaWait)
    ),
    (reservation) => {
      // The client has read the previous page.
      context.hold.holdBody(memory, 0)
      const { requestId } = context
      const caller = { client: ClientLimits.toCallClient(client, config), memory, requestId, reservation }
      page.context = contextOf(caller, cacheMode)
      return withRequestId(loaded, caller).pipe(
        Effect.mapError((error) => withMemoryError(caller, error)),
        (page) => Effect.zipRight(beforePage, page)
      )
    }
  )
}

const addLength = (bytes: number, record: string): number => bytes + Buffer.byteLength(record) + 1

/** What follows the chunks so far: the page after the cursor, or the last line, or the end, which a list that failed does not have. */
type ListState = { readonly cursor: string | null; readonly end: ListEnd } | "start" | "done" | "failed"

/** The last line, which does not mention that no records were left out or may be repeated. */
type ListEnd = Readonly<{ records: number; leftOut?: number; unidentified?: number }>

/** Emits one chunk per page and the last line. Loads a page when the client has read the previous one. */
const listLines = (
  { client, endLine, handled }: ListRequest,
  firstPage: RawRecords.RawPage,
  nextPage: Effect.Effect<RawRecords.RawPage, ProxyError.ProxyError>
): Stream.Stream<Uint8Array, IncompleteBodyError> => {
  const { context, request: { shouldEndStreams }, services: { overrides } } = handled
  const emitPage = ({ cursor, records, repeats }: RawRecords.RawPage, before: ListEnd) => {
    const leftOut = (before.leftOut ?? 0) + repeats.leftOut.length
    const unidentified = (before.unidentified ?? 0) + repeats.unidentified
    const omitted = { ...leftOut > 0 && { leftOut }, ...unidentified > 0 && { unidentified } }
    const end = { records: before.records + records.length, ...omitted }
    return emit(records.map((record) => `${record}\n`).join(""), { cursor, end })
  }
  return Stream.unfoldEffect<ListState, Uint8Array, IncompleteBodyError, never>("start", (state) => {
    if (state === "start") return emitPage(firstPage, { records: 0 })
    if (state === "failed") return Effect.fail(new IncompleteBodyError())
    if (state === "done" || state.cursor === null && !endLine) return Effect.succeedNone
    const { cursor, end } = state
    if (cursor === null) return emit(toLine({ end }), "done")
    // Ends at a page boundary, so that the client can resume at another proxy without losing records.
    const reason = shouldEndStreams() ? ProxyError.shuttingDown : overrides.rejectionOf(client.name)
    return Effect.matchEffect(reason === null ? nextPage : Effect.fail(reason), {
      onSuccess: (page) => emitPage(page, end),
      onFailure: ({ code, logDetail, message }) => {
        RequestContext.learn(context, { code, detail: logDetail })
        return emit(toLine({ failure: { message, code, requestId: context.requestId }, cursor }), "failed")
      }
    })
  })
}

const encoder = new TextEncoder()

const toLine = (document: unknown): string => `${RawRecords.onOneLine(JSON.stringify(document))}\n`

const emit = (text: string, state: ListState) => Effect.succeedSome([encoder.encode(text), state] as const)

const unknownParameterError = (operation: AnyOperation, [name, value]: readonly [string, string]) => {
  const decoded = decodeInput(operation, { [name]: value })
  const issue = Either.isLeft(decoded) && decoded.left.issues.find(({ parameter }) => parameter === name)
  const reason = issue ? issue.reason : "unknown parameter or value"
  return ProxyError.make(
    "invalid-request",
    `${name}: ${reason}; streaming lists accept only known ones. Remove it, or request single pages without ${listPrefix}`
  )
}

const apiKeyInPage = ProxyError.make(
  "upstream-error",
  "a page of this list contains an API key of the proxy and was withheld"
)

const notAList = ({ id }: AnyOperation): ProxyError.ProxyError =>
  ProxyError.make(
    "unknown-path",
    `${id} is not a list operation; request it without ${listPrefix}`
  )
