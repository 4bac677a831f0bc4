/**
 * Converters of objects with known members, which take nearly all the time of decoding a document.
 *
 * A loop over members has another name and another converter in each iteration, which JavaScript engines cannot optimize.
 * This module therefore generates the source of a function without a loop for each struct. If code generation is not
 * allowed (content security policy, some edge runtimes), it uses a loop.
 */
import { type Converter, isConverter } from "./Converter.ts"

export interface StructMember {
  readonly name: PropertyKey
  /** Whether the member may be absent. It is then absent from the result too. */
  readonly isOptional: boolean
  /** Whether every string converts to itself. Most members are text, and calling `convert` takes longer. */
  readonly isText: boolean
  /** What becomes null without calling `convert`: nothing, null, or null, undefined and the empty string. */
  readonly nullFrom: "nothing" | "null" | "absent"
  readonly convert: Converter
}

/** A member that generated code supports. */
interface NamedMember extends StructMember {
  readonly name: string
}

/** Members of the input that are not in `members` are left out, or kept as they are. */
export const struct = (members: ReadonlyArray<StructMember>, keepsOthers: boolean): Converter => {
  const generated = members.every(isNamed) ? generateStruct(members) : undefined
  const convert = generated ?? interpretStruct(members)
  return keepsOthers ? keepOthers(convert) : convert
}

const keepOthers = (convert: Converter): Converter => (input, unreadable) => {
  const record = convert(input, unreadable)
  return isObject(input) && isObject(record) ? { ...input, ...record } : undefined
}

const isNamed = (member: StructMember): member is NamedMember => typeof member.name === "string"

const isObject = (input: unknown): input is Readonly<Record<PropertyKey, unknown>> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

const interpretStruct = (members: ReadonlyArray<StructMember>): Converter => (input, unreadable) => {
  if (!isObject(input)) return undefined
  const record: Record<PropertyKey, unknown> = {}
  for (const { convert, isOptional, name, nullFrom } of members) {
    if (isOptional && !Object.hasOwn(input, name)) continue
    const member = input[name]
    const isNull = (member === null && nullFrom !== "nothing") ||
      ((member === undefined || member === "") && nullFrom === "absent")
    const value = isNull ? null : convert(member, unreadable)
    if (value === undefined) return undefined
    record[name] = value
  }
  return record
}

/** Returns undefined if code generation is not allowed. */
const generateStruct = (members: ReadonlyArray<NamedMember>): Converter | undefined => {
  try {
    const factory = new Function("isObject", "converters", sourceOf(members))
    const convert: unknown = factory(isObject, members.map((member) => member.convert))
    return isConverter(convert) ? convert : undefined
  } catch {
    return undefined
  }
}

/** The source contains the names of the members as string literals. The converters are passed as arguments. */
const sourceOf = (members: ReadonlyArray<NamedMember>): string => {
  const firstOptional = members.findIndex(({ isOptional }) => isOptional)
  const always = firstOptional < 0 ? members : members.slice(0, firstOptional)
  return `"use strict"
  const [${members.map((_, at) => `c${at}`).join(", ")}] = converters
  return (input, unreadable) => {
    if (!isObject(input)) return undefined
    let m
    ${always.map(convertMember).join("\n    ")}
    const record = { ${always.map(({ name }, at) => `${JSON.stringify(name)}: v${at}`).join(", ")} }
    ${members.slice(always.length).map((member, at) => setMember(member, always.length + at)).join("\n    ")}
    return record
  }`
}

/** The sources of the conditions under which a member `m` becomes null. */
const nullConditions: { readonly [N in StructMember["nullFrom"]]: string } = {
  nothing: "",
  null: "m === null ? null : ",
  absent: "m === null || m === undefined || m === \"\" ? null : "
}

const convertMember = ({ isText, name, nullFrom }: NamedMember, at: number): string => {
  const value = `${isText ? `typeof m === "string" ? m : ` : ""}c${at}(m, unreadable)`
  return `m = input[${JSON.stringify(name)}]
    const v${at} = ${nullConditions[nullFrom]}${value}
    if (v${at} === undefined) return undefined`
}

const setMember = (member: NamedMember, at: number): string => {
  const name = JSON.stringify(member.name)
  return `${member.isOptional ? `if (Object.hasOwn(input, ${name}))` : ""} {
      ${convertMember(member, at)}
      record[${name}] = v${at}
    }`
}
