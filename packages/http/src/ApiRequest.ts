/**
 * Requests that no operation describes, to any endpoint below the base URL of an API: with its API key, retries, limits, circuit
 * breaker and metrics.
 *
 * @example
 * import { Amount } from "@blockquarry/core/Amount"
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const NetWorth = Schema.Struct({ total: Amount })
 *
 * const netWorth = (address: string) =>
 *   Effect.flatMap(DataApi, (data) =>
 *     data.request({ path: `/wallets/${address}/net-worth`, query: { chain: "eth" }, output: NetWorth }))
 */
import { type ApiRequest, encodeApiRequest, JsonPage, operationId } from "@blockquarry/core/ApiRequest"
import * as Decoder from "@blockquarry/core/Decoder"
import { Json } from "@blockquarry/core/Json"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { AnyOperation, ApiName, Method, Operation } from "@blockquarry/core/Operation"
import {
  InvalidResponseError,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import { type CursorPage, nextCursor } from "@blockquarry/core/Page"
import type { QueryParameters } from "@blockquarry/core/QueryParameters"
import { NoStore } from "@blockquarry/core/Ttl"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as CallOptions from "./CallOptions.ts"
import { type Executor, streamWithOptions, validatingOptions, withOptions } from "./internal/call/Executor.ts"
import type { PageSource } from "./internal/pagination/PageSource.ts"
import * as Pagination from "./Pagination.ts"

export type { ApiRequest, JsonPage } from "@blockquarry/core/ApiRequest"

/** A request, and the schema of its output. */
export interface TypedRequest<in out Output, in out OutputEncoded> extends ApiRequest {
  /** Default: any JSON, in which an integer beyond 2^53 is a string of its digits. */
  readonly output?: Schema.Schema<Output, OutputEncoded> | undefined
}

/**
 * Sends a request, and returns its output. Any 2xx status is a success; a response without content is null. Responses are never
 * cached.
 *
 * Fails with an `InvalidInputError`, and sends nothing, if the request is invalid: for example, if its path is a URL.
 */
export interface RequestFunction {
  <Output = JsonValue, OutputEncoded = JsonValue>(
    request: TypedRequest<Output, OutputEncoded>,
    options?: CallOptions.CallOptions
  ): Effect.Effect<NoInfer<Output>, OperationError>
  /**
   * Streams every page of a list, by the `cursor` and the `result` of its pages. `output` is the schema of a page. The cursor is
   * sent in the query, or in a body that is an object.
   */
  readonly pages: <Output extends CursorPage<unknown> = JsonPage, OutputEncoded = JsonPage>(
    request: TypedRequest<Output, OutputEncoded>,
    options?: Pagination.ListCallOptions
  ) => Stream.Stream<NoInfer<Output>, ListOperationError>
  /** Streams every record of a list, one chunk per page. */
  readonly items: <Output extends CursorPage<unknown> = JsonPage, OutputEncoded = JsonPage>(
    request: TypedRequest<Output, OutputEncoded>,
    options?: Pagination.ListCallOptions
  ) => Stream.Stream<NoInfer<Output>["result"][number], ListOperationError>
}

/** A request as a test double of `request` gets it. It returns the JSON document of the response. */
export interface SentRequest {
  readonly method: Method
  readonly path: string
  readonly query: QueryParameters
  readonly body: unknown
}

/** Creates the function of an API from a function that executes operations. */
export const make = (api: ApiName, executor: Executor): RequestFunction => {
  const execute = validatingOptions(executor)
  const send = <Output, OutputEncoded>(
    request: ApiRequest,
    output: Schema.Schema<Output, OutputEncoded>,
    check: Check<Output> = Either.right
  ): Effect.Effect<Output, OperationError> =>
    Effect.flatMap(encodeApiRequest({ ...request, query: {} }), (encoded) => {
      const { body, path } = request
      const { method } = encoded
      const operation = operationOf(api, { ...request, method }, output, check)
      return CallOptions.CurrentCallOptions.pipe(
        Effect.flatMap(({ query = {} }) => execute(operation)({ method, path, query, body }, encoded)),
        Effect.flatMap((decoded) => Effect.mapError(decoded, (error) => mismatch(operation, path, error))),
        CallOptions.withCallOptions({ cacheMode: "no-store", query: request.query })
      )
    })
  const pageSource = <Output extends CursorPage<unknown>, OutputEncoded>(
    request: TypedRequest<Output, OutputEncoded>
  ): PageSource<PagePosition, Output, Output["result"][number]> => ({
    id: operationId,
    identity: () => null,
    block: undefined,
    fetchPage: ({ cursor }) => {
      const [page, output] = outputOf(request, JsonPage)
      return send(withCursor(page, cursor), output, keepsCursor)
    },
    afterCursor: (_, cursor) => Either.right({ cursor }),
    fromBlock: Either.right,
    limit: () => null,
    direction: () => "descending",
    listId: () => ""
  })
  const pages: RequestFunction["pages"] = (request, options) =>
    streamWithOptions(
      description,
      options,
      Effect.sync(() => Pagination.pages(pageSource(request), {}, options))
    )
  const items: RequestFunction["items"] = (request, options) =>
    streamWithOptions(
      description,
      options,
      Effect.sync(() => Pagination.items(pageSource(request), {}, options))
    )
  return Object.assign(
    <Output, OutputEncoded>(
      request: TypedRequest<Output, OutputEncoded>,
      options?: CallOptions.CallOptions
    ) => withOptions(send(...outputOf(request, Json)), options),
    { pages, items }
  )
}

/** Separates a request from the schema of its output. Without one, `Output` is the type of JSON. */
const outputOf = <Output, OutputEncoded, JsonOutput>(
  request: TypedRequest<Output, OutputEncoded>,
  json: Schema.Schema<JsonOutput>
): readonly [ApiRequest, Schema.Schema<Output, OutputEncoded>] => {
  // A program without types may pass nothing.
  const { output = json, ...others } = { ...request }
  return [others, output as Schema.Schema<Output, OutputEncoded>]
}

/** The page after a cursor. */
interface PagePosition {
  readonly cursor?: string
}

const withCursor = (request: ApiRequest, cursor: string | undefined): ApiRequest =>
  cursor === undefined
    ? request
    : Predicate.isRecord(request.body)
    ? { ...request, body: { ...request.body, cursor } }
    : { ...request, query: { ...request.query, cursor } }

/** What decoding returns: a schema may decode asynchronously, which an operation does not. */
type Decoded<Output> = Effect.Effect<Output, Decoder.Mismatch>

type Check<Output> = (output: Output, document: unknown) => Either.Either<Output, ParseResult.ParseError>

const description = { id: operationId, parameters: [] }

/** A request as an operation whose description knows little. */
const operationOf = <Output, OutputEncoded>(
  api: ApiName,
  { cost = 1, method = "GET", retry = method === "GET" ? "always" : "if-not-applied" }: ApiRequest,
  output: Schema.Schema<Output, OutputEncoded>,
  check: Check<Output>
): Operation<SentRequest, SentRequest, Decoded<Output>, Decoded<Output>> => {
  const decode = Decoder.reusing(output)
  return {
    ...description,
    api,
    method,
    // The template of spans, which must not contain values.
    path: "/*",
    input: Schema.declare((value): value is SentRequest => Predicate.isRecord(value)),
    output: Schema.declare((value): value is Decoded<Output> => Effect.isEffect(value)),
    decode: (document, unreadable, quote = identity) => {
      const decoded = decode(document, unreadable)
      return Either.isLeft(decoded) && isAsynchronous(decoded.left)
        ? Either.right(
          Effect.flatMap(Schema.decodeUnknown(output)(document), (value) => check(value, document)).pipe(
            Effect.mapError((error) => quote(Decoder.mismatchOf(error)))
          )
        )
        : Either.map(Either.flatMap(decoded, (value) => check(value, document)), Effect.succeed)
    },
    encode: (decoded) => decoded,
    isNotFound: () => false,
    success: "2xx",
    retry,
    ttl: () => NoStore(),
    cacheNotFound: false,
    cost,
    price: cost,
    docs: { summary: "Sends a request that no operation describes." }
  }
}

const isAsynchronous = ({ issue }: ParseResult.ParseError): boolean =>
  Decoder.leavesOf(issue).some((leaf) => leaf.issue._tag === "Forbidden")

/** The error of an output that is decoded asynchronously. */
const mismatch = (
  { method, retry }: Pick<AnyOperation, "method" | "retry">,
  path: string,
  found: Decoder.Mismatch
): InvalidResponseError =>
  new InvalidResponseError({
    operation: operationId,
    request: { method, path },
    status: 200,
    serverMessage: null,
    body: "",
    upstreamRequestId: null,
    kind: "unexpected-shape",
    ...found,
    mayHaveBeenApplied: retry !== "always"
  })

/** A schema without the cursor would end the list after its first page. */
const keepsCursor = <Output extends CursorPage<unknown>>(
  page: Output,
  document: unknown
): Either.Either<Output, ParseResult.ParseError> => {
  const cursor: unknown = Predicate.isRecord(document) ? document["cursor"] : null
  const isKept = nextCursor(page) !== undefined || cursor === undefined || cursor === null || cursor === ""
  const reason = "the schema `output` omits the cursor, so the list would end; add the field `cursor`"
  return isKept
    ? Either.right(page)
    : Either.left(ParseResult.parseError(new ParseResult.Type(Schema.String.ast, cursor, reason)))
}
