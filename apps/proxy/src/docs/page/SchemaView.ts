/** Renders a JSON Schema as a list of fields. Fields with nested fields can be expanded. */
import * as Schema from "effect/Schema"
import { type Html, html } from "./Html.ts"

/** The keywords of JSON Schema that the document uses. */
const SchemaNode = Schema.Struct({
  $ref: Schema.optional(Schema.String),
  type: Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))),
  description: Schema.optional(Schema.String),
  properties: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  required: Schema.optional(Schema.Array(Schema.String)),
  items: Schema.optional(Schema.Unknown),
  anyOf: Schema.optional(Schema.Array(Schema.Unknown)),
  enum: Schema.optional(Schema.Array(Schema.Unknown)),
  examples: Schema.optional(Schema.Array(Schema.Unknown)),
  const: Schema.optional(Schema.Unknown)
})

type SchemaNode = typeof SchemaNode.Type

const read = Schema.decodeUnknownSync(SchemaNode)

export type NamedSchemas = Readonly<Record<string, unknown>>

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** Follows references. Returns the schema and its name, if it has one. */
const resolve = (
  schema: unknown,
  named: NamedSchemas
): readonly [node: SchemaNode, name: string | undefined] => {
  const node = read(schema)
  if (node.$ref === undefined) return [node, undefined]
  const name = nameOf(node.$ref)
  const [found, inner] = resolve(named[name] ?? {}, named)
  return [found, inner ?? name]
}

const branches = (node: SchemaNode): ReadonlyArray<unknown> =>
  (node.anyOf ?? []).filter((branch) => read(branch).type !== "null")

/** Returns a short name of the type: `string`, `Label[]`, `integer | null`. */
export const typeOf = (schema: unknown, named: NamedSchemas): string => {
  const [node, name] = resolve(schema, named)
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum !== undefined) {
    return node.enum.length > 6
      ? `one of ${node.enum.length}`
      : node.enum.map(String).join(" | ")
  }
  if (node.items !== undefined) return `${typeOf(node.items, named)}[]`
  if (name !== undefined) return name
  if (node.anyOf !== undefined) {
    const types = new Set(node.anyOf.map((branch) => typeOf(branch, named)))
    const orNull = types.delete("null") ? ["null"] : []
    return [...types, ...orNull].join(" | ")
  }
  return typeof node.type === "string" ? node.type : node.type?.join(" | ") ?? "any"
}

/** Returns the values that the schema knows, of any that are permitted. */
export const knownValues = (schema: unknown): ReadonlyArray<string> => {
  const { examples, items } = read(schema)
  return examples?.map(String) ?? (items === undefined ? [] : knownValues(items))
}

/** Renders the fields of a schema, or its type if it has none. A recursive schema is named instead of expanded again. */
export const fields = (schema: unknown, named: NamedSchemas): Html =>
  fieldsWithin(schema, named, new Set()) ?? html`<p class="muted">${typeOf(schema, named)}</p>`

/** Renders the fields of the schema, of its items, or of the first alternative that has fields. */
const fieldsWithin = (schema: unknown, named: NamedSchemas, visited: ReadonlySet<string>): Html | null => {
  const [node, name] = resolve(schema, named)
  if (name !== undefined && visited.has(name)) return null
  const within = name === undefined ? visited : new Set([...visited, name])
  const { properties = {}, required = [] } = node
  const rendered = Object.entries(properties).map(([name, schema]) =>
    field(name, schema, required.includes(name), named, within)
  )
  if (rendered.length > 0) return html`<ul class="schema-fields">${rendered}</ul>`
  return [...(node.items === undefined ? [] : [node.items]), ...branches(node)]
    .map((inner) => fieldsWithin(inner, named, within))
    .find((found) => found !== null) ?? null
}

const field = (
  name: string,
  schema: unknown,
  required: boolean,
  named: NamedSchemas,
  visited: ReadonlySet<string>
): Html => {
  const [node] = resolve(schema, named)
  const description = read(schema).description ?? node.description ??
    branches(node).map((branch) => resolve(branch, named)[0].description).find((text) => text !== undefined)
  const optional = required ? null : html`<span class="optional">?</span>`
  const meaning = description === undefined ? null : html` <span class="description">${description}</span>`
  const line = html`<code>${name}</code>${optional} <span class="type">${
    typeOf(schema, named)
  }</span>${meaning}`
  const nested = fieldsWithin(schema, named, visited)
  return nested === null
    ? html`<li>${line}</li>`
    : html`<li><details><summary>${line}</summary>${nested}</details></li>`
}
