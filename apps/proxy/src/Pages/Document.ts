/** The OpenAPI document as far as the page shows it: operations with all their paths, and schemas by name. */
import { isList } from "@blockquarry/core/Operation"
import { all } from "@blockquarry/core/operations/index"
import * as Schema from "effect/Schema"

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.String,
  required: Schema.Boolean,
  description: Schema.optional(Schema.String),
  schema: Schema.Unknown
})

const Content = Schema.Record({ key: Schema.String, value: Schema.Struct({ schema: Schema.Unknown }) })

const Response = Schema.Struct({
  $ref: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  content: Schema.optional(Content)
})

const Responses = Schema.Record({ key: Schema.String, value: Response })

const Operation = Schema.Struct({
  operationId: Schema.String,
  tags: Schema.Array(Schema.String),
  summary: Schema.String,
  "x-known-issue": Schema.optional(Schema.String),
  parameters: Schema.optional(Schema.Array(Parameter)),
  requestBody: Schema.optional(Schema.Struct({ content: Content })),
  responses: Responses
})

const Document = Schema.Struct({
  info: Schema.Struct({ title: Schema.String, version: Schema.String, description: Schema.String }),
  tags: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String })),
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Operation })
  }),
  components: Schema.Struct({
    schemas: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    responses: Responses
  })
})

export type Document = typeof Document.Type
export type Parameter = typeof Parameter.Type

/** What stands before the path of a list that is wanted whole. */
const whole = "/all/"

export interface Endpoint extends Omit<typeof Operation.Type, "operationId"> {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Other paths of the same. */
  readonly aliases: ReadonlyArray<string>
  /** Whether it can be had whole. */
  readonly list: boolean
}

export const read: (document: unknown) => Document = Schema.decodeUnknownSync(Document)

/** The operations in the document's order; those that differ in nothing but the path are one. */
export const endpoints = ({ paths }: Document): ReadonlyArray<Endpoint> => {
  const lists = new Set<string>(all.filter(isList).map(({ id }) => id))
  const found: Array<Endpoint> = []
  for (const [path, methods] of Object.entries(paths)) {
    if (path.startsWith(whole)) continue
    for (const [method, { operationId: id, ...operation }] of Object.entries(methods)) {
      const same = found.findIndex((known) => `${known.id}V1` === id)
      const known = found[same]
      if (known === undefined) {
        found.push({ ...operation, id, method: method.toUpperCase(), path, aliases: [], list: lists.has(id) })
      } else found[same] = { ...known, aliases: [...known.aliases, path] }
    }
  }
  return found
}
