/**
 * Readers of objects with known members: nearly all the work of reading a document.
 *
 * A loop over members sees a new name and another reader in every turn, which no engine makes fast. So the source of
 * a function is written that reads one kind of object, without a loop, and makes its record in one piece. Where
 * code may not be made from text (a page's content security policy, some edge runtimes) the loop does the same.
 */
import { type Converter, convertString, isConverter } from "./Converter.ts"

/** A member of an object. */
export interface StructMember {
  readonly name: PropertyKey
  /** Whether it may be missing, and is missing from the record then. */
  readonly isOptional: boolean
  /** Whether undefined and null are null, without asking `read`. */
  readonly isNullable: boolean
  readonly convert: Converter
}

/** A member that a generated function reads: always there in the record, under a name that has a source text. */
interface NamedMember extends StructMember {
  readonly name: string
}

export const struct = (members: ReadonlyArray<StructMember>): Converter =>
  members.every(isNamed) ? generateStruct(members) ?? interpretStruct(members) : interpretStruct(members)

const isNamed = (member: StructMember): member is NamedMember =>
  typeof member.name === "string" && !member.isOptional

const isObject = (input: unknown): input is Readonly<Record<PropertyKey, unknown>> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

const interpretStruct = (members: ReadonlyArray<StructMember>): Converter => (input) => {
  if (!isObject(input)) return undefined
  const record: Record<PropertyKey, unknown> = {}
  for (const { isNullable, isOptional, name, convert: read } of members) {
    if (isOptional && !Object.hasOwn(input, name)) continue
    const member = input[name]
    const value = isNullable && (member === null || member === undefined) ? null : read(member)
    if (value === undefined) return undefined
    record[name] = value
  }
  return record
}

/** The function that `source` describes, or undefined where no code may be made from text. */
const generateStruct = (members: ReadonlyArray<NamedMember>): Converter | undefined => {
  try {
    const factory = new Function("isObject", "readers", sourceOf(members))
    const convert: unknown = factory(isObject, members.map((member) => member.convert))
    return isConverter(convert) ? convert : undefined
  } catch {
    return undefined
  }
}

/** Nothing but names of members goes into it, as string literals; what reads them is handed over. */
const sourceOf = (members: ReadonlyArray<NamedMember>): string => {
  const lines = members.map(({ isNullable, name, convert: read }, at) => {
    const value = read === convertString ? `typeof m === "string" ? m : undefined` : `r${at}(m)`
    return `m = input[${JSON.stringify(name)}]
    const v${at} = ${isNullable ? "m === null || m === undefined ? null : " : ""}${value}
    if (v${at} === undefined) return undefined`
  })
  return `"use strict"
  const [${members.map((_, at) => `r${at}`).join(", ")}] = readers
  return (input) => {
    if (!isObject(input)) return undefined
    let m
    ${lines.join("\n    ")}
    return { ${members.map(({ name }, at) => `${JSON.stringify(name)}: v${at}`).join(", ")} }
  }`
}
