/** Pages of the operations, from their descriptions. */
import { chainId, evmChains } from "@blockquarry/core/Chain"
import { type AnyOperation, isList, type Parameter, pathPrefix } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import { clientProgram, commandLineOf, commandOf, curlCommands, inputJson, layerProgram } from "./Examples.ts"
import type { Field, Model } from "./Fields.ts"

/** What a page contains besides the description of its operation. */
export interface PageContext {
  readonly model: Model
  /** The errors of `docs/errors.md`, by tag. */
  readonly errors: ReadonlyMap<string, ErrorRow>
  /** The response of the sandbox to the example request, as JSON. */
  readonly response: unknown
}

export interface ErrorRow {
  readonly cause: string
  readonly retryable: string
}

/** Escapes text for a cell of a table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const code = (text: string): string => `\`${cell(text)}\``

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const sentence = (text: string): string => text === "" || /[.!?]$/.test(text) ? text : `${text}.`

// Parameters

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : []

/** Names without the aliases of chains in hexadecimal. */
const named = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.filter((value) => !/^0x[0-9a-f]+$/.test(value))

const valuesOf = (schema: Parameter["jsonSchema"]): string => {
  const { enum: closed, examples: open, minimum, pattern } = schema
  if (closed !== undefined) return closed.map(code).join(", ")
  if (open !== undefined) {
    return `for example ${named(strings(open)).slice(0, maxInlineValues).map(code).join(", ")}`
  }
  if (Predicate.isNumber(minimum)) return `at least ${minimum}`
  if (!Predicate.isString(pattern)) return ""
  const digits = /\{(\d+)\}/.exec(pattern)?.[1]
  return digits === undefined ? "" : `\`0x\` and ${digits} hexadecimal digits`
}

const itemsOf = (schema: Parameter["jsonSchema"]): Parameter["jsonSchema"] => {
  const { items } = schema
  if (!Predicate.isRecord(items)) return {}
  const { enum: closed, examples: open, pattern } = items
  return {
    ...(Array.isArray(closed) ? { enum: strings(closed) } : {}),
    ...(Array.isArray(open) ? { examples: strings(open) } : {}),
    ...(Predicate.isString(pattern) ? { pattern } : {})
  }
}

/** More values than this are listed below the table. */
const maxInlineValues = 6

const describeParameter = (
  { jsonSchema }: Parameter
): { readonly values: string; readonly isLong: boolean } => {
  const schema = jsonSchema.type === "array" ? itemsOf(jsonSchema) : jsonSchema
  return { values: valuesOf(schema), isLong: (schema.enum ?? []).length > maxInlineValues }
}

const parameterTable = ({ parameters }: AnyOperation): string =>
  table(
    ["Parameter", "Description"],
    parameters.map((parameter) => {
      const { description, in: location, jsonSchema, name, required } = parameter
      const { isLong, values } = describeParameter(parameter)
      const type = jsonSchema.type === "array" ? "List of strings" : sentenceCase(jsonSchema.type ?? "string")
      return [
        `${code(name)}${required ? " (required)" : ""}`,
        [
          sentence(cell(description)),
          `${type} in the ${location}${isLong ? "; values below" : values === "" ? "" : `: ${values}`}.`
        ].join(" ")
      ]
    })
  )

const longValues = ({ parameters }: AnyOperation): string =>
  parameters.filter((parameter) => describeParameter(parameter).isLong)
    .map((parameter) => `Values of ${code(parameter.name)}: ${describeParameter(parameter).values}.\n\n`)
    .join("")

const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

// Response

const knownValues = (type: string): { readonly type: string; readonly values: ReadonlyArray<string> } => {
  const open = /^OpenEnum<(.*?)>/s.exec(type)
  if (open === null) {
    return { type: type.replace("Utc", "DateTime.Utc").replace(" | undefined", ""), values: [] }
  }
  return {
    type: type.replace(open[0], "string"),
    values: [...(open[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, value = ""]) => value)
  }
}

const fieldRows = (
  fields: ReadonlyArray<Field>,
  prefix: string,
  note: (field: Field) => string = () => ""
): ReadonlyArray<ReadonlyArray<string>> =>
  fields.flatMap((field) => {
    const { type, values } = knownValues(field.type)
    const known = values.length === 0
      ? ""
      : `${values.map((value) => code(value)).join(", ")}, or a value that is added later.`
    return [
      [
        code(`${prefix}${field.name}`),
        [
          code(type),
          [note(field), sentence(cell(field.description)), known].filter(Boolean).join(" ")
        ].filter(Boolean).join(": ")
      ],
      ...fieldRows(field.fields, `${prefix}${field.name}${type.startsWith("object[]") ? "[]" : ""}.`)
    ]
  })

/** The fields of all variants, each once, with the variants that have it. */
const variantRows = ({ variants }: Model): ReadonlyArray<ReadonlyArray<string>> => {
  const byField = new Map<string, { readonly field: Field; readonly types: Array<string> }>()
  for (const variant of variants) {
    for (const field of variant.fields) {
      const key = `${field.name} ${field.type}`
      const found = byField.get(key) ?? { field, types: [] }
      found.types.push(variant.name)
      byField.set(key, found)
    }
  }
  return [...byField.values()].flatMap(({ field, types }) =>
    fieldRows(
      [field],
      "",
      ({ name }) => name === field.name ? `Only in ${types.map((type) => code(type)).join(", ")}.` : ""
    )
  )
}

const responseTable = (model: Model): string =>
  table(["Field", "Type and meaning"], [...fieldRows(model.fields, ""), ...variantRows(model)])

// Cost and cache

const seconds = (duration: Duration.DurationInput): string => {
  const total = Duration.toSeconds(duration)
  return total % 3600 === 0
    ? `${total / 3600} h`
    : total % 60 === 0
    ? `${total / 60} min`
    : `${total} s`
}

/** Documents on which the TTL of an operation may depend. */
const committed = { type: "user_transaction", version: "1" }
const samplePage = (status: string) => ({ status, result: [{}] })

/** Describes the TTL, which the operation computes for inputs and documents that make a difference. */
const describeTtl = (operation: AnyOperation): string => {
  const ttlOf = (input: object, document: unknown): string => {
    const ttl = operation.ttl(input, () => document)
    switch (ttl._tag) {
      case "Immutable":
        return "unlimited"
      case "NoStore":
        return "not cached"
      case "MaxAge":
        return seconds(ttl.duration)
      case "UpToBlock":
        return `${seconds(ttl.finalizedTtl)} if \`to_block\` is final`
    }
  }
  const plain = ttlOf({}, samplePage("SYNCED"))
  const withBlock = ttlOf({ to_block: 1 }, samplePage("SYNCED"))
  const syncing = ttlOf({}, samplePage("SYNCING"))
  const immutable = ttlOf({}, committed)
  if (immutable !== plain && immutable === "unlimited") {
    return "unlimited once it is committed, else not cached"
  }
  return [
    plain,
    withBlock === plain ? "" : withBlock,
    syncing === plain ? "" : `${syncing} while \`SYNCING\` or empty`
  ].filter(Boolean).join("; ")
}

const facts = (operation: AnyOperation): string => {
  const path = `${pathPrefix[operation.api]}${operation.path}`
  return table(["Request", code(`${operation.method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)], [
    ["API", operation.api],
    ["Command", code(`quarry ${commandOf(operation)}`)],
    [
      "Cost",
      `${operation.cost} ${operation.cost === 1 ? "unit" : "units"}${isList(operation) ? " per page" : ""}`
    ],
    ["Cache TTL", describeTtl(operation)],
    [
      "Retries",
      operation.retry === "always"
        ? "after temporary failures"
        : "only if the upstream cannot have applied the update"
    ]
  ])
}

// Errors

const concerns = (operation: AnyOperation) => (tag: string): boolean =>
  tag !== "PaginationError" || isList(operation)

const errorTable = (operation: AnyOperation, errors: PageContext["errors"]): string =>
  table(
    ["Tag", "Cause", "Retryable"],
    [...errors].filter(([tag]) => concerns(operation)(tag)).map((
      [tag, { cause, retryable }]
    ) => [`[${code(tag)}](../errors.md#${tag.toLowerCase()})`, cause, retryable])
  )

// Examples

const fence = (language: string, text: string, title = ""): string =>
  `\`\`\`${language}${title === "" ? "" : ` [${title}]`}\n${text.trimEnd()}\n\`\`\``

/** Readable, and short: a page shows its first record. */
const excerpt = (document: unknown): string => {
  const shortened = Predicate.isRecord(document) && Array.isArray(document["result"])
    ? { ...document, result: document["result"].slice(0, 1) }
    : document
  return JSON.stringify(shortened, (_, value: unknown) =>
    typeof value === "string" && value.length > 160
      ? `${value.slice(0, 100)}…`
      : Array.isArray(value) && value.length > 3
      ? value.slice(0, 3)
      : value, 2)
}

const examples = (operation: AnyOperation): string =>
  [
    "::: code-group",
    fence("ts", clientProgram(operation), "Promises"),
    fence("ts", layerProgram(operation), "Effect"),
    fence("sh", commandLineOf(operation), "Command line"),
    fence("sh", curlCommands(operation).join("\n"), "curl through the proxy"),
    ":::"
  ].join("\n\n")

/** Returns the page of an operation. */
export const operationPage = (operation: AnyOperation, context: PageContext): string => {
  const { docs, id } = operation
  return `---
title: ${id}
description: ${JSON.stringify(docs.summary)}
outline: [2, 2]
---

# ${id}

${docs.summary}.
${docs.knownIssue === undefined ? "" : `\n::: warning Known issue\n${docs.knownIssue}\n:::\n`}
${facts(operation)}

## Examples

The programs read the environment variables that \`quarry sandbox serve\` prints; see [getting started](../getting-started.md).
\`--sandbox\` runs the command line and the proxy without an account.

${examples(operation)}

### Run it here

This runs the promise client and the sandbox in your browser. Nothing is sent over the network.

<RunOperation operation="${id}" input="${
    inputJson(operation).replaceAll("\"", "&quot;").replaceAll("\n", "&#10;")
  }" />

## Parameters

${parameterTable(operation)}

${
    longValues(operation)
  }The programs take the same names. Invalid values fail with \`InvalidInputError\`, and nothing is sent.

## Response

${responseTable(context.model)}

Types are those of the layers; [exact values](../amounts.md) lists them for promises and JSON. A field that the upstream
omits is null.

<details>
<summary>A response of the sandbox as JSON, shortened</summary>

${fence("json", excerpt(context.response))}

</details>

## Errors

${errorTable(operation, context.errors)}

[Errors](../errors.md) describes their fields, [the proxy](../proxy/errors.md) its codes, and
[the command line](../cli/shell.md#exit-status) its exit statuses.
`
}

/** The chains that the specification lists for an operation, if not all. */
const chainsOf = ({ parameters }: AnyOperation): ReadonlyArray<string> => {
  const names = named(parameters.find(({ name }) => name === "chain")?.jsonSchema.examples ?? [])
  return names.length === evmChains.length ? [] : names
}

/** Returns the page that lists all operations. */
export const operationIndex = (operations: ReadonlyArray<AnyOperation>): string => {
  const limited = operations.filter((operation) => chainsOf(operation).length > 0)
  return `---
title: Operations
---

# Operations

Every operation is a function of the [layers](../start/effect.md), a method of the [promise client](../start/promises.md), a
[command](../cli.md), and a route of the [proxy](../proxy/index.md).

${
    table(
      ["Operation", "Purpose", "Command", "Cost"],
      operations.map((operation) => [
        `[${operation.id}](${operation.id}.md)`,
        operation.docs.summary,
        code(`quarry ${commandOf(operation)}`),
        `${operation.cost}`
      ])
    )
  }

Cost is counted in units; a list costs this amount for each page. See [rate limits](../policies.md#rate-limit).

## Supported chains

A chain is given by its name or its hexadecimal ID. The specification lists these chains, of which ${
    limited.map(({ id }) => code(id)).join(" and ")
  }
have some. Every other chain is sent too, because services add chains: a hexadecimal ID in lower case without leading zeros, a name
unchanged. Only a name that looks like a misspelling of a known one, such as \`polygn\`, is rejected; a chain with such a name can be
given by its ID.

${
    table(
      ["Chain", "ID", ...limited.map(({ id }) => id)],
      evmChains.map((name) => [
        code(name),
        code(chainId(name)),
        ...limited.map((operation) => chainsOf(operation).includes(name) ? "yes" : "")
      ])
    )
  }
`
}
