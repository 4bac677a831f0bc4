/** `docs/interface.md` is what the descriptions of the operations and the tables of the specification say. */
import { chainId, chainName } from "@blockquarry/core/Chain"
import { Nft } from "@blockquarry/core/model/Nft"
import { StreamRecord, StreamStatus } from "@blockquarry/core/model/StreamRecord"
import type { AnyOperation, Parameter } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { SyncStatus } from "@blockquarry/core/Page"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { interfacePage } from "../src/InterfacePage.ts"
import { nonNullable, outputFields } from "../src/OutputFields.ts"
import { rowsOf, sectionsOf, specifiedOperation } from "../src/Specification.ts"

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const tables = read("specification/tables.txt")

const Sources = Schema.Array(Schema.Struct({
  name: Schema.String,
  where: Schema.NonEmptyString,
  when: Schema.String,
  fields: Schema.Record({
    key: Schema.Literal(...allOperations.map(({ id }) => id)),
    value: Schema.UndefinedOr(Schema.Array(Schema.String))
  }).pipe(Schema.partial)
}))

const sources = Schema.decodeUnknownSync(Sources)(JSON.parse(read("specification/sources.json")))

const operations: ReadonlyArray<AnyOperation> = allOperations

const section = (title: string) => sectionsOf(tables).get(title) ?? expect.fail(title)

it("is generated from the descriptions and the tables", async () => {
  await expect(interfacePage(operations, tables, sources)).toMatchFileSnapshot("../../docs/interface.md")
})

it("has every endpoint of the specification, and no other", () => {
  const endpoints = [...tables.matchAll(/^(GET|POST) (?:\{\w+\})?(\/.*)$/gm)].map(([, method, path]) =>
    `${method} ${path}`
  )
  expect(endpoints.toSorted()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).toSorted())
})

/** Members of these have no specified structure. */
const open = new Set(["normalized_metadata", "media", "components", "filter", "arguments", "metadata"])

const envelope = new Set(["total", "page", "page_size", "cursor", "result", "status"])

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

/** Returns the types of the members of a document, by their names. */
const typesIn = (value: unknown, parent = ""): ReadonlyArray<readonly [name: string, type: string]> => {
  if (Array.isArray(value)) return typesIn(value[0], parent)
  if (!Predicate.isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const path = parent === "" ? name : `${parent}.${name}`
    return [[path, typeOf(member)] as const, ...open.has(name) ? [] : typesIn(member, path)]
  })
}

/** Returns the types that the words on a field allow in a document; null if the specification does not say. */
const allowed = (id: string, name: string, words: string): ReadonlyArray<string> | null => {
  if (words === "present when normalizeMetadata is true" || words === "present when media_items is true") {
    return null
  }
  if (words.startsWith("true/false flag") || words === "boolean") return ["boolean"]
  if (words === "holding per chain") return ["array"]
  if (words === "number") return ["number", "integer"]
  const [, type = ""] = /^(integer|array|object)/.exec(words) ?? []
  if (type !== "") return [type]
  // Types not stated are strings, except in envelopes and in streams
  const isShown = words !== "" || !(id === "updateStreamStatus" || envelope.has(name))
  return isShown ? ["string"] : null
}

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const { fields, parameters } = specifiedOperation(tables, operation)
  const listed = [...fields.keys()]
  const paths = outputFields(operation.output).map(({ path }) => path)
  const beyond = sources.flatMap((source) => source.fields[operation.id] ?? [])

  it("has every field of the specification, and says of every other where it was seen", () => {
    const names = paths.map((path) => path.replaceAll("[]", ""))
    expect(listed.filter((name) => !names.includes(name))).toEqual([])
    expect(paths.filter((path) => !listed.includes(path.replaceAll("[]", ""))).toSorted())
      .toEqual(beyond.toSorted())
  })

  it("is tested with a document that has the fields of the specification, with their types", () => {
    const document: unknown = JSON.parse(read(`../packages/core/test/fixtures/${id}.json`))
    const types = new Map(typesIn(document))
    const known = [...listed, ...beyond.map((path) => path.replaceAll("[]", ""))]
    expect([...types.keys()].filter((name) => !known.includes(name))).toEqual([])
    for (const [name, words] of fields) {
      const type = types.get(name)
      const expected = allowed(id, name, words)
      expect([name, type]).not.toEqual([name, undefined])
      if (expected !== null) expect([name, expected]).toEqual([name, expect.arrayContaining([type])])
    }
  })

  it("has the parameters of the specification, and no others", () => {
    expect(operation.parameters.map(({ name }) => name).toSorted())
      .toEqual([...parameters.keys()].toSorted())
    for (const [name, words] of parameters) {
      const parameter = operation.parameters.find((parameter) => parameter.name === name) ?? expect.fail(name)
      expect([name, parameter.in]).toEqual([name, words.split(/ \(|;/)[0]])
      expect([name, parameter.required]).toEqual([name, / yes;|\brequired\b/.test(words)])
      const type = /; (array of strings|array|string|number|boolean)\b/.exec(words)?.[1]
      expect([name, parameterTypes[type ?? commonType(name)]])
        .toEqual([name, expect.arrayContaining([parameter.jsonSchema.type ?? "string"])])
      expect([name, closedValues(parameter)]).toEqual([name, listedValues(parameter, words)])
    }
  })

  it("completes the chains of the specification", () => {
    const words = parameters.get("chain")
    if (words === undefined) return
    const [, name = "", list] = /set (\w)(?:: (.*))?/.exec(words) ?? []
    const chains = [...(list ?? chainSet(name)).matchAll(/(\w[\w ]*) = (0x\w+)/g)].map((
      [, name = "", id = ""]
    ) => [name, id])
    expect(chains.length).toBe({ A: 25, B: 7, C: 16 }[name])
    const known = operation.parameters.find(({ name }) => name === "chain")?.jsonSchema.examples
    expect(known).toEqual(chains.flat())
    for (const [name = "", id] of chains) expect(chainId(chainName(name) ?? expect.fail(name))).toBe(id)
  })
})

const parameterTypes: Readonly<Record<string, ReadonlyArray<string>>> = {
  "array of strings": ["array"],
  array: ["array"],
  // A block is written as a string in one table
  string: ["string", "integer"],
  number: ["integer"],
  boolean: ["boolean"],
  "": ["string"]
}

/** Returns the type in the section on common parameters; empty if it has none. */
const commonType = (name: string): string =>
  new RegExp(`^- ${name} \\((\\w+), optional\\)`, "m").exec(section("common query parameters"))?.[1] ?? ""

const chainSet = (name: string): string =>
  new RegExp(`Set ${name} \\(25 chains\\), name = id: (.*)\\.$`, "m").exec(section("common query parameters"))
    ?.[1] ?? ""

const closedValues = ({ jsonSchema }: Parameter): ReadonlyArray<string> => jsonSchema.enum ?? []

const listedValues = ({ jsonSchema: { type }, name }: Parameter, words: string): ReadonlyArray<string> => {
  if (name === "include") return /\b(\w+) requests/.exec(words)?.slice(1) ?? []
  const last = words.split("; ").at(-1) ?? ""
  if (type !== "boolean" && /^\w+(?:, \w+)+$/.test(last) && !/optional|required/.test(last)) {
    return last.split(", ")
  }
  return name === "order" ? ["ASC", "DESC"] : []
}

const memberOf = ({ ast }: Schema.Schema.AnyNoContext, name: string): AST.AST =>
  (AST.isTypeLiteral(ast) ? ast.propertySignatures : []).find((member) => member.name === name)?.type ??
    expect.fail(name)

const knownValues = (ast: AST.AST): ReadonlyArray<string> => {
  const inner = nonNullable(ast)
  const schema = Option.getOrUndefined(
    AST.getJSONSchemaAnnotation(AST.isTransformation(inner) && AST.isDeclaration(inner.to) ? inner.to : inner)
  )
  const values = Predicate.hasProperty(schema, "enum")
    ? schema.enum
    : Predicate.hasProperty(schema, "examples")
    ? schema.examples
    : []
  return Schema.decodeUnknownSync(Schema.Array(Schema.String))(values)
}

it("has the states of streams of the specification, and no others", () => {
  const states = rowsOf(section("stream status")).map(([state]) => state)
  expect(knownValues(StreamStatus.ast)).toEqual(states)
  expect(knownValues(memberOf(StreamRecord, "status"))).toEqual(states)
})

it("says of every value of a status or type that the specification does not show where it was seen", () => {
  const [, syncing] = /the value (\w+) occurs/.exec(section("nft owners envelope status")) ?? []
  const [, erc721] = /contract_type \| string \((\w+) is a value that occurs/.exec(section("nft record")) ??
    []
  expect([syncing, erc721]).toEqual(["SYNCING", "ERC721"])
  const values = [...knownValues(SyncStatus.ast), ...knownValues(memberOf(Nft, "contract_type"))]
  const seen = sources.flatMap(({ where }) =>
    [...where.matchAll(/`(\w+)` of `\w+`/g)].map(([, value]) => value)
  )
  expect(values.toSorted()).toEqual([syncing, erc721, ...seen].toSorted())
})

it("completes as many names of exchanges as the specification lists, in the same pattern", () => {
  const { parameters } = operations.find(({ id }) => id === "tokenPrice") ?? expect.fail()
  const known = parameters.find(({ name }) => name === "exchange")?.jsonSchema.examples ?? []
  const [, count, list = ""] =
    /Listed exchange values \((\d+)\).*?: (.*)\.$/m.exec(section("8. erc20 token price")) ?? []
  const patterns = list.replace(/ \(two words, [^)]*\)/, " ").split(/ ?, /)
  expect([known.length, patterns.length]).toEqual([Number(count), Number(count)])
  const names = new Map<string, string>()
  for (const [at, pattern] of patterns.entries()) {
    const [, placeholder = "", version = ""] = /^<(\w+)>(\w*)$/.exec(pattern.trim()) ?? expect.fail(pattern)
    const name = known[at]?.replace(/v\d$/, "") ?? ""
    expect(known[at]).toBe(`${name}${version}`)
    expect(names.get(placeholder) ?? name).toBe(name)
    names.set(placeholder, name)
  }
  expect(new Set(names.values()).size).toBe(names.size)
  expect([...names.values()].filter((name) => name.includes(" "))).toEqual([names.get("dex_9")])
})
