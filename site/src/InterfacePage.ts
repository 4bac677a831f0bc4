/** The document `docs/interface.md`: the operations beside the specification of the interface, and our choices where it is open. */
import { type AnyOperation, type Parameter, pathPrefix } from "@blockquarry/core/Operation"
import * as Predicate from "effect/Predicate"
import { openPoints } from "./OpenPoints.ts"
import { type OutputField, outputFields } from "./OutputFields.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const code = (text: string): string => `\`${cell(text)}\``

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const typeOf = (value: unknown): string =>
  Array.isArray(value)
    ? "array"
    : value === null
    ? "object"
    : Number.isInteger(value)
    ? "integer"
    : typeof value

/** Returns the type of each field in a document that has every field of the specification, by path. */
const specifiedTypes = (value: unknown, parent = ""): ReadonlyMap<string, string> =>
  Array.isArray(value)
    ? specifiedTypes(value[0], `${parent}[]`)
    : Predicate.isRecord(value)
    ? new Map(
      Object.entries(value).flatMap(([name, member]) => {
        const path = parent === "" ? name : `${parent}.${name}`
        return [[path, typeOf(member)], ...specifiedTypes(member, path)]
      })
    )
    : new Map()

/** A single object may stand for a list of one. */
const typeIn = (types: ReadonlyMap<string, string>, path: string): string | undefined =>
  types.get(path) ?? types.get(path.replaceAll("[]", "")) ?? types.get(path.replace(/\[\](?=[^[]*$)/, ""))

const fieldTable = (operation: AnyOperation, specified: unknown): string => {
  const types = specifiedTypes(specified)
  return table(
    ["Field", "Specification", "Read as", "Kind", "Absent", "Null", "Another type", "Out of range"],
    outputFields(operation.output).map((field) => {
      const unreadable = unreadableOutcome(field)
      return [
        code(field.path),
        typeIn(types, field.path) ?? "not shown",
        field.expected,
        field.kind === "fact" ? "fact" : "describes",
        field.absent ?? unreadable,
        field.null ?? unreadable,
        field.isAny ? "" : unreadable,
        field.outOfRange.length === 0 ? "" : unreadable
      ]
    })
  )
}

const unreadableOutcome = ({ nullInstead, path }: OutputField): string =>
  nullInstead === null
    ? "fails"
    : nullInstead === path
    ? "null, counted"
    : `${code(nullInstead)} is null, counted`

const valuesOf = ({ jsonSchema }: Parameter): string => {
  const schema = Predicate.isRecord(jsonSchema["items"]) ? jsonSchema["items"] : jsonSchema
  const names = (values: unknown) =>
    (Array.isArray(values) ? values : []).filter((value) =>
      Predicate.isString(value) && !/^0x[0-9a-f]+$/.test(value)
    )
      .map((value) => code(String(value))).join(", ")
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].length === 1 ? names(schema["enum"]) : `one of ${names(schema["enum"])}`
  }
  if (Array.isArray(schema["examples"])) return `any; known are ${names(schema["examples"])}`
  return Predicate.isNumber(schema["minimum"])
    ? `an integer of at least ${schema["minimum"]}`
    : "any that is well-formed"
}

const parameterTable = ({ parameters }: AnyOperation): string =>
  table(
    ["Parameter", "In", "Meaning", "Accepted values"],
    parameters.map((parameter) => [
      `${code(parameter.name)}${parameter.required ? " (required)" : ""}`,
      parameter.in,
      cell(parameter.description),
      valuesOf(parameter)
    ])
  )

const section = (operation: AnyOperation, specified: unknown): string =>
  `## ${operation.id}

${code(`${operation.method} ${pathPrefix[operation.api]}${operation.path}`)}: ${operation.docs.summary}.

${parameterTable(operation)}

${fieldTable(operation, specified)}
`

/** Returns the document. `specified` returns a response of an operation with every field of the specification. */
export const interfacePage = (
  operations: ReadonlyArray<AnyOperation>,
  specified: (operation: string) => unknown
): string =>
  `# Interface

<!-- Generated from the descriptions of the operations; \`npx -y pnpm@10 test --project site interface -u\` writes it. -->

This page lists every operation beside the specification of the interface: what is sent, what is read beyond the
specification, and what this project does where the specification does not say.

- _Specification_ is the JSON type there. Fields and types that it does not have are _not shown_: some upstreams return them.
- _Read as_ is the value that is accepted. Numbers are also read from strings, addresses and hashes in any case, booleans
  from \`true\`, \`"true"\` and \`1\`.
- _Kind_: a fact identifies a record, counts money, or directs a list. Any other field describes.
- _Absent_ and _Null_ are what the model has then. An empty string is absent. Fields of which both fail are required.
- _Another type_ and _Out of range_ are what happens if the value cannot be read: the response fails, or the field is null, or the
  object around it. What is null then is counted: see [fields that cannot be read](policies.md#fields-that-cannot-be-read). An empty
  cell means that there is no such value.

## Open points

${table(["Not shown", "Our choice", "Where to change it"], openPoints.map((point) => [...point].map(cell)))}

${operations.map((operation) => section(operation, specified(operation.id))).join("\n")}`
