/** The document `docs/interface.md`: the operations beside the specification of the interface, and our choices where it is open. */
import { type AnyOperation, type Parameter, pathPrefix } from "@blockquarry/core/Operation"
import * as Predicate from "effect/Predicate"
import { openPoints } from "./OpenPoints.ts"
import { type OutputField, outputFields } from "./OutputFields.ts"
import { specifiedOperation } from "./Specification.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const code = (text: string): string => `\`${cell(text)}\``

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** What the specification says, by name. */
type Words = ReadonlyMap<string, string>

const wordsOf = (words = notListed): string =>
  words.startsWith(notListed) ? words : words === "" ? "no type" : code(words)

const notListed = "not listed"

const fieldTable = ({ output }: AnyOperation, specified: Words): string =>
  table(
    ["Field", "Specification", "Read as", "Kind", "Absent", "Null", "Another type", "Out of range"],
    outputFields(output).map((field) => {
      const unreadable = unreadableOutcome(field)
      return [
        code(field.path),
        // A single object may stand for a list of one
        wordsOf(specified.get(field.path.replaceAll("[]", "")) ?? specified.get(field.path)),
        field.expected,
        field.kind === "fact" ? "fact" : "describes",
        field.absent ?? unreadable,
        field.null ?? unreadable,
        field.isAny ? "" : unreadable,
        field.outOfRange.length === 0 ? "" : unreadable
      ]
    })
  )

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

const parameterTable = ({ parameters }: AnyOperation, specified: Words): string =>
  table(
    ["Parameter", "In", "Specification", "Meaning", "Accepted values"],
    parameters.map((parameter) => [
      `${code(parameter.name)}${parameter.required ? " (required)" : ""}`,
      parameter.in,
      wordsOf(specified.get(parameter.name)?.replace(/^[^;]*; /, "")),
      cell(parameter.description),
      valuesOf(parameter)
    ])
  )

const section = (operation: AnyOperation, tables: string, sources: ReadonlyArray<Source>): string => {
  const { fields, parameters } = specifiedOperation(tables, operation)
  const seen = sources.flatMap(({ fields, name }) =>
    (fields[operation.id] ?? []).map((path) => [path, `${notListed}: ${name}`] as const)
  )
  return `## ${operation.id}

${code(`${operation.method} ${pathPrefix[operation.api]}${operation.path}`)}: ${operation.docs.summary}.

${parameterTable(operation, parameters)}

${fieldTable(operation, new Map([...seen, ...fields]))}
`
}

/** Where fields were seen that the specification does not list. */
export interface Source {
  readonly name: string
  readonly where: string
  readonly when: string
  /** The paths of the fields, by operations. */
  readonly fields: { readonly [operation: string]: ReadonlyArray<string> | undefined }
}

/** Returns the document. `tables` are those of the specification. */
export const interfacePage = (
  operations: ReadonlyArray<AnyOperation>,
  tables: string,
  sources: ReadonlyArray<Source>
): string =>
  `# Interface

<!-- Generated from the descriptions of the operations; \`npx -y pnpm@10 test --project site interface -u\` writes it. -->

This page lists every operation beside the specification of the interface: what is sent, what is read beyond the
specification, and what this project does where the specification does not say.

- _Specification_ is what its tables say, in their words: of a parameter its type, whether it is required, and notes. A field with _no type_ is listed without one: it is a string, except in
  the envelopes of pages and in streams, whose types are not shown. A field that is _not listed_ was seen
  [elsewhere](#fields-that-are-not-listed).
- _Read as_ is the value that is accepted. Numbers are also read from strings, addresses and hashes in any case, hashes also
  without \`0x\`, booleans from \`true\`, \`"true"\` and \`1\`.
- _Kind_: a fact identifies a record, counts money, or directs a list. Any other field describes.
- _Absent_ and _Null_ are what the model has then. An empty string is absent. Fields of which both fail are required.
- _Another type_ and _Out of range_ are what happens if the value cannot be read: the response fails, or the field is null, or the
  object around it. What is null then is counted: see [fields that cannot be read](policies.md#fields-that-cannot-be-read). An empty
  cell means that there is no such value.

## Fields that are not listed

${table(["Name", "Seen in", "When"], sources.map(({ name, when, where }) => [name, where, when]))}

## Open points

${table(["Not shown", "Our choice", "Where to change it"], openPoints.map((point) => [...point].map(cell)))}

${operations.map((operation) => section(operation, tables, sources)).join("\n")}`
