/**
 * Operations: complete descriptions of the requests that the APIs support.
 *
 * Clients, proxy routes, the OpenAPI document, command line options and the sandbox are derived from them.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Decoder from "./Decoder.ts"
import { type InputSchema, isInQuery, isPassthrough } from "./InputSchema.ts"
import type { Page } from "./Page.ts"
import { NoStore, type Ttl } from "./Ttl.ts"

/** The three APIs. Each has its own base URL. */
export type ApiName = "data" | "streams" | "ledger"

/** The path prefix of each API, relative to its base URL. */
export const pathPrefix: { readonly [A in ApiName]: "" | `/${string}` } = {
  data: "/api/v2.2",
  streams: "",
  ledger: ""
}

/** The methods of requests. Described operations have the first two. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * The table of costs that the descriptions of operations follow: prices are those of the published weights of this date,
 * and rate costs those of the specification.
 */
export const costTable = { version: 1, date: "2026-11-20" } as const

/** The highest rate cost of any operation, in units. */
export const maxCost = 5

/** An operation of an API. */
export interface Operation<in out Input, in out InputEncoded, in out Output, in out OutputEncoded> {
  readonly id: string
  readonly api: ApiName
  readonly method: Method
  /**
   * Path parameters are written `:name`. The others are in the query of a GET and, unless they are marked with `inQuery`, in
   * the JSON body of a POST.
   */
  readonly path: `/${string}`
  readonly parameters: ReadonlyArray<Parameter>
  /** Decodes what callers write, and encodes the canonical values that are sent. */
  readonly input: Schema.Schema<Input, InputEncoded>
  readonly output: Schema.Schema<Output, OutputEncoded>
  /** Decodes a response body as `output` does, but faster. */
  readonly decode: Decoder.Decoder<Output>
  /**
   * Encodes a response as plain JSON, which `decode` decodes: amounts and decimals are strings of digits, times are ISO 8601
   * in UTC.
   */
  readonly encode: Decoder.Encoder<Output, OutputEncoded>
  /**
   * Whether a response body with status 200 means that the resource does not exist. `document` parses the body: an
   * operation without such a body does not call it.
   */
  readonly isNotFound: (document: () => unknown) => boolean
  /**
   * The statuses of success: 200, or any 2xx status, with a JSON document. With `2xx`, a response without content is null.
   * Default: `200`.
   */
  readonly success?: "200" | "2xx" | undefined
  /** When a failed request may be retried: always, or only if the upstream cannot have applied it. */
  readonly retry: "always" | "if-not-applied"
  /**
   * The TTL of a response. `document` parses the body, and returns undefined if it is not JSON: a rule that depends on the
   * input only does not call it. The document need not fit `output`.
   */
  readonly ttl: (input: Input, document: () => unknown) => Ttl
  /** Whether "not found" may be cached. False for resources that the upstream may be indexing. */
  readonly cacheNotFound: boolean
  /** The rate cost: units of one request that count against rate limits. */
  readonly cost: number
  /** The price: units of one request that are billed, and count against daily quotas. */
  readonly price: number
  /**
   * What has this price; default: the request. `parameter: "limit"`: the value of the query parameter is the number of items
   * that have it. `"chains[]"`: each of its values is one. A request that does not say how many has `maxItems`.
   */
  readonly per?: { readonly parameter: string; readonly maxItems: number } | undefined
  readonly docs: OperationDocs
  /** Returns an input for which an upstream has data, for documentation. */
  readonly example?: (values: ExampleValues) => InputEncoded
}

/** An operation that returns a list in pages. */
export interface ListOperation<
  in out Input extends { readonly cursor?: string },
  in out InputEncoded,
  in out Output extends Page<Item>,
  in out OutputEncoded,
  in out Item
> extends Operation<Input, InputEncoded, Output, OutputEncoded> {
  readonly pagination: ListPagination<Item>
}

/** How to find the next page of a list, by cursor or by block if the upstream returns no cursor, and what is new on it. */
export interface ListPagination<in Item> {
  /** The members that identify a record. One in which any of them is null has no identity. Default: no record has one. */
  readonly identity?: ReadonlyArray<keyof Item & string>
  /** For lists that may have no cursor: the block of a record. */
  readonly block?: (item: Item) => number
}

/** Returns the identity of a record, decoded or encoded. Null if it has none, because a member is null, missing or an object. */
export const identityOf = (
  { identity = [] }: { readonly identity?: ReadonlyArray<string> },
  record: unknown
): string | null => {
  const values = identity.map((name) => Predicate.isRecord(record) ? record[name] : null)
  return values.length === 0 || values.some((value) => value === undefined || typeof value === "object")
    ? null
    : values.map((value) => String(value).replace(/[:\\]/g, "\\$&")).join(":")
}

/** The documentation of an operation. */
export interface OperationDocs {
  /** The heading under which documentation lists the operation. */
  readonly group?: string
  /** One imperative sentence. */
  readonly summary: string
  /** A limitation of the upstream that affects the results. */
  readonly knownIssue?: string
}

/** What example inputs contain: addresses, IDs and hashes that an upstream knows. */
export interface ExampleValues {
  /** The address of a wallet with transfers and trades. */
  readonly wallet: string
  /** The address of a token with a price. */
  readonly token: string
  /** The address of an ERC721 collection. */
  readonly collection721: string
  /** The ID of an NFT of the collection. */
  readonly tokenId721: string | bigint
  /** The ID of a stream. */
  readonly stream: string
  /** The hash of a ledger transaction. */
  readonly transaction: string
}

/** A parameter of an operation, as documentation and command lines show it. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "body"
  readonly required: boolean
  readonly description: string
  /** Whether the proxy forwards values that this library cannot decode. */
  readonly passthrough: boolean
  /** The JSON Schema of the canonical format in requests. */
  readonly jsonSchema: ParameterJsonSchema
}

/** The JSON Schema of a parameter. */
export interface ParameterJsonSchema {
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly examples?: ReadonlyArray<string>
  readonly [keyword: string]: unknown
}

/** What a definition sets; the rest is derived or has defaults. */
interface OperationSpec<I, InputEncoded, Output, OutputEncoded> extends
  Pick<
    Operation<I, InputEncoded, Output, OutputEncoded>,
    "id" | "api" | "path" | "output" | "ttl" | "cost" | "docs"
  >,
  Partial<
    Pick<
      Operation<I, InputEncoded, Output, OutputEncoded>,
      "isNotFound" | "cacheNotFound" | "price" | "per" | "example"
    >
  >
{
  readonly input: InputSchema<I, InputEncoded>
}

const makeOperation = <I, InputEncoded, Output, OutputEncoded>(
  spec: OperationSpec<I, InputEncoded, Output, OutputEncoded>,
  method: "GET" | "POST",
  retry: "always" | "if-not-applied"
): Operation<I, InputEncoded, Output, OutputEncoded> => ({
  isNotFound: () => false,
  cacheNotFound: true,
  price: spec.cost,
  ...spec,
  method,
  retry,
  input: Decoder.compiled(spec.input.schema),
  decode: Decoder.make(spec.output),
  encode: Decoder.encoder(spec.output),
  parameters: toParameters(spec.input.fields, spec.path, method)
})

/** Creates an operation that reads one resource. */
export const get = <I, InputEncoded, Output, OutputEncoded>(
  spec: OperationSpec<I, InputEncoded, Output, OutputEncoded>
): Operation<I, InputEncoded, Output, OutputEncoded> => makeOperation(spec, "GET", "always")

/** What the definition of a POST sets. Its responses are never cached: a cache key is a URL. */
type PostSpec<I, InputEncoded, Output, OutputEncoded> = Omit<
  OperationSpec<I, InputEncoded, Output, OutputEncoded>,
  "ttl" | "cacheNotFound"
>

/**
 * Creates an operation that updates a resource. It is retried only if the upstream cannot have applied it.
 */
export const update = <I, InputEncoded, Output, OutputEncoded>(
  spec: PostSpec<I, InputEncoded, Output, OutputEncoded>
): Operation<I, InputEncoded, Output, OutputEncoded> =>
  makeOperation({ ...spec, ttl: () => NoStore() }, "POST", "if-not-applied")

/**
 * Creates an operation that reads with a POST, for example because its input is too long for a URL. It is retried as a GET.
 */
export const readByPost = <I, InputEncoded, Output, OutputEncoded>(
  spec: PostSpec<I, InputEncoded, Output, OutputEncoded>
): Operation<I, InputEncoded, Output, OutputEncoded> =>
  makeOperation({ ...spec, ttl: () => NoStore() }, "POST", "always")

/** The type of the records of a page. */
export type ItemOf<Output extends Page<unknown>> = Output["result"][number]

/** Creates an operation that reads a list in pages. The schema of its pages is named after it. */
export const list = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<unknown>,
  OutputEncoded
>(
  spec: OperationSpec<I, InputEncoded, Output, OutputEncoded> & {
    readonly pagination?: ListPagination<ItemOf<Output>>
  }
): ListOperation<I, InputEncoded, Output, OutputEncoded, ItemOf<Output>> => ({
  pagination: {},
  ...spec,
  ...makeOperation(
    { ...spec, output: spec.output.annotations({ identifier: pageName(spec.id) }) },
    "GET",
    "always"
  )
})

const pageName = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Page`

/** Returns whether an operation is a list operation. */
export const isList = (
  operation: AnyOperation
  // oxlint-disable-next-line typescript/no-explicit-any -- `unknown` does not fit an invariant type parameter
): operation is ListOperation<any, any, any, any, any> => "pagination" in operation

/** The properties of an operation that the classification of its responses needs. */
export type OperationRef = Pick<AnyOperation, "id" | "retry" | "success">

/** Any operation. */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` does not fit an invariant type parameter
export type AnyOperation = Operation<any, any, any, any>

const toParameters = (
  fields: Schema.Struct.Fields,
  path: string,
  method: "GET" | "POST"
): ReadonlyArray<Parameter> =>
  Object.entries(fields).map(([name, field]) => {
    const annotated = annotatedAst(field)
    return {
      name,
      in: path.split("/").includes(`:${name}`)
        ? "path"
        : method === "GET" || isInQuery(annotated)
        ? "query"
        : "body",
      required: !Schema.isPropertySignature(field),
      description: Option.getOrElse(AST.getDescriptionAnnotation(annotated), () => ""),
      passthrough: isPassthrough(annotated),
      jsonSchema: { ...Option.getOrElse(AST.getJSONSchemaAnnotation(annotated), () => ({ type: "string" })) }
    }
  })

/** Returns the node that carries the annotations of a field. */
const annotatedAst = (field: Schema.Struct.Field): AST.Annotated => {
  if (!Schema.isPropertySignature(field)) return field.ast
  const { ast: signature } = field
  return signature._tag === "PropertySignatureDeclaration" ? signature.type : signature.from.type
}
