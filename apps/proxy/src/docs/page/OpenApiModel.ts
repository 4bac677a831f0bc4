/** The parts of the OpenAPI document that the API reference shows. */
import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import * as Schema from "effect/Schema"

const ParameterObject = Schema.Struct({
  name: Schema.String,
  in: Schema.String,
  required: Schema.Boolean,
  description: Schema.optional(Schema.String),
  schema: Schema.Unknown
})

const ContentObject = Schema.Record({ key: Schema.String, value: Schema.Struct({ schema: Schema.Unknown }) })

const ResponseObject = Schema.Struct({
  $ref: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  content: Schema.optional(ContentObject)
})

const ResponsesObject = Schema.Record({ key: Schema.String, value: ResponseObject })

const OperationObject = Schema.Struct({
  operationId: Schema.String,
  tags: Schema.Array(Schema.String),
  summary: Schema.String,
  "x-known-issue": Schema.optional(Schema.String),
  "x-cost-units": Schema.optional(Schema.Int),
  parameters: Schema.optional(Schema.Array(ParameterObject)),
  requestBody: Schema.optional(Schema.Struct({ content: ContentObject })),
  responses: ResponsesObject
})

const OpenApiModel = Schema.Struct({
  info: Schema.Struct({ title: Schema.String, version: Schema.String, description: Schema.String }),
  tags: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String })),
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: OperationObject })
  }),
  components: Schema.Struct({
    schemas: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    responses: ResponsesObject
  })
})

export type OpenApiModel = typeof OpenApiModel.Type
export type ParameterObject = typeof ParameterObject.Type

/** Path prefix of streaming lists. */
const listPathPrefix = "/all/"

export interface Endpoint extends Omit<typeof OperationObject.Type, "operationId"> {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Other paths of the same operation. */
  readonly aliases: ReadonlyArray<string>
  /** Whether the operation is a list, which `/all` can stream. */
  readonly isList: boolean
}

export const read: (document: unknown) => OpenApiModel = Schema.decodeUnknownSync(OpenApiModel)

/** Returns the operations in document order. Operations that differ only in their path are merged. */
export const endpoints = ({ paths }: OpenApiModel): ReadonlyArray<Endpoint> => {
  const lists = new Set<string>(allOperations.filter(isList).map(({ id }) => id))
  const found: Array<Endpoint> = []
  for (const [path, methods] of Object.entries(paths)) {
    if (path.startsWith(listPathPrefix)) continue
    for (const [method, { operationId: id, ...operation }] of Object.entries(methods)) {
      const same = found.findIndex((known) => `${known.id}V1` === id)
      const known = found[same]
      if (known === undefined) {
        found.push({
          ...operation,
          id,
          method: method.toUpperCase(),
          path,
          aliases: [],
          isList: lists.has(id)
        })
      } else found[same] = { ...known, aliases: [...known.aliases, path] }
    }
  }
  return found
}
