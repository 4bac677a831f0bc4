/**
 * Operations: everything that is known of one question the service answers, in one value.
 *
 * Clients, proxy routes, OpenAPI, command-line options and the sandbox are derived from these descriptors.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Decoder from "./Decoder.ts"
import { type InputSchema, isPassthrough } from "./InputSchema.ts"
import type { Page } from "./Page.ts"
import type { Ttl } from "./Ttl.ts"

/**
 * The three base addresses of the service.
 *
 * @since 0.1.0
 * @category models
 */
export type ApiName = "data" | "streams" | "ledger"

/**
 * What the paths of an API begin with, after its base address.
 *
 * @since 0.1.0
 * @category models
 */
export const pathPrefix: { readonly [A in ApiName]: "" | `/${string}` } = {
  data: "/api/v2.2",
  streams: "",
  ledger: ""
}

/**
 * The most that an operation costs; a test holds all of them to it.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxCost = 5

/**
 * One operation of the service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation<in out Input, in out InputEncoded, in out Output, in out OutputEncoded> {
  readonly id: string
  readonly api: ApiName
  readonly method: "GET" | "POST"
  /** Parameters of the path are `:name`; the others go to the query of a GET and to the JSON body of a POST. */
  readonly path: `/${string}`
  readonly parameters: ReadonlyArray<Parameter>
  /** `Accepts` is what callers write; encoding gives the one spelling that is sent. */
  readonly input: Schema.Schema<Input, InputEncoded>
  readonly output: Schema.Schema<Output, OutputEncoded>
  /** Reads a document as `output` does, at speed. */
  readonly decode: Decoder.Decoder<Output>
  /** Whether an answer of status 200 says that the thing does not exist. */
  readonly isNotFound: (document: unknown) => boolean
  /** When a request may be sent again: always, or only when it cannot have taken effect. */
  readonly retry: "always" | "if-not-applied"
  /** How long an answer stays true; `answer` reads the document and is called only where that matters. */
  readonly ttl: (input: Input, output: () => Output) => Ttl
  /** Whether "not found" stays true for a moment: not where the thing may just be being indexed. */
  readonly cacheNotFound: boolean
  /** Units that one request costs upstream. */
  readonly cost: number
  readonly docs: OperationDocs
}

/**
 * An operation that answers with pages of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListOperation<
  in out Input extends { readonly cursor?: string },
  in out InputEncoded,
  in out Output extends Page<Item>,
  in out OutputEncoded,
  in out Item
> extends Operation<Input, InputEncoded, Output, OutputEncoded> {
  readonly pagination: ListPagination<Item>
}

/**
 * How the walk of a list goes on: by the service's cursor, and where the envelope has none, by block.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListPagination<in Item> {
  /** For lists that may come without a cursor: what identifies a record (null: nothing does), and its block. */
  readonly byBlock?: {
    readonly block: (item: Item) => number
    readonly identity: (item: Item) => string | null
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface OperationDocs {
  readonly summary: string
  /** What the reader must know before trusting an answer. */
  readonly knownIssue?: string
}

/**
 * A parameter as documents and command lines show it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "body"
  readonly required: boolean
  readonly description: string
  /** Whether the service may understand values that we do not: a proxy passes those on. */
  readonly passthrough: boolean
  /** The JSON Schema of one spelling on the wire. */
  readonly jsonSchema: ParameterJsonSchema
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ParameterJsonSchema {
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly examples?: ReadonlyArray<string>
  readonly [keyword: string]: unknown
}

/** What a descriptor states of itself; the rest has defaults. */
interface OperationSpec<I, InputEncoded, Output, OutputEncoded> extends
  Pick<
    Operation<I, InputEncoded, Output, OutputEncoded>,
    "id" | "api" | "path" | "output" | "ttl" | "cost" | "docs"
  >,
  Partial<Pick<Operation<I, InputEncoded, Output, OutputEncoded>, "isNotFound" | "cacheNotFound">>
{
  readonly input: InputSchema<I, InputEncoded>
}

const makeOperation = <I, InputEncoded, Output, OutputEncoded>(
  spec: OperationSpec<I, InputEncoded, Output, OutputEncoded>,
  method: "GET" | "POST",
  repeat: "always" | "if-not-applied"
): Operation<I, InputEncoded, Output, OutputEncoded> => ({
  isNotFound: () => false,
  cacheNotFound: true,
  ...spec,
  method,
  retry: repeat,
  input: Decoder.compiled(spec.input.schema),
  decode: Decoder.make(spec.output),
  parameters: toParameters(spec.input.fields, spec.path, method)
})

/**
 * A read of one thing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const get = <I, InputEncoded, Output, OutputEncoded>(
  spec: OperationSpec<I, InputEncoded, Output, OutputEncoded>
): Operation<I, InputEncoded, Output, OutputEncoded> => makeOperation(spec, "GET", "always")

/**
 * A change: its parameters outside the path form the JSON body.
 *
 * @since 0.1.0
 * @category constructors
 */
export const update = <I, InputEncoded, Output, OutputEncoded>(
  spec: OperationSpec<I, InputEncoded, Output, OutputEncoded>
): Operation<I, InputEncoded, Output, OutputEncoded> => makeOperation(spec, "POST", "if-not-applied")

/**
 * The records of a page.
 *
 * @since 0.1.0
 * @category models
 */
export type ItemOf<Output extends Page<unknown>> = Output["result"][number]

/**
 * A read of a list, page by page.
 *
 * @since 0.1.0
 * @category constructors
 */
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
  ...makeOperation(spec, "GET", "always")
})

/**
 * Whether an operation answers with pages of a list.
 *
 * @since 0.1.0
 * @category guards
 */
export const isList = (
  operation: AnyOperation
  // oxlint-disable-next-line typescript/no-explicit-any -- an invariant parameter takes no `unknown`
): operation is ListOperation<any, any, any, any, any> => "pagination" in operation

/**
 * An operation as far as its answers are judged: which one it is, and whether it may be repeated.
 *
 * @since 0.1.0
 * @category models
 */
export type OperationRef = Pick<AnyOperation, "id" | "retry">

/**
 * Any operation, where its types do not matter.
 *
 * @since 0.1.0
 * @category models
 */
// oxlint-disable-next-line typescript/no-explicit-any -- an invariant parameter takes no `unknown`
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
      in: path.split("/").includes(`:${name}`) ? "path" : method === "GET" ? "query" : "body",
      required: !Schema.isPropertySignature(field),
      description: Option.getOrElse(AST.getDescriptionAnnotation(annotated), () => ""),
      passthrough: isPassthrough(annotated),
      jsonSchema: { ...Option.getOrElse(AST.getJSONSchemaAnnotation(annotated), () => ({ type: "string" })) }
    }
  })

/** What carries a field's annotations. */
const annotatedAst = (field: Schema.Struct.Field): AST.Annotated => {
  if (!Schema.isPropertySignature(field)) return field.ast
  const { ast: signature } = field
  return signature._tag === "PropertySignatureDeclaration" ? signature.type : signature.from.type
}
