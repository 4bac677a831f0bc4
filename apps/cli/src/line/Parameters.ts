/**
 * Options and arguments that follow from an operation's parameters, and the way back: what was written, as the
 * operation's input.
 */
import type { Parameter } from "@blockquarry/core/Operation"
import type { InvalidRequest } from "@blockquarry/core/QueryError"
import { readInput } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Usage } from "../Failure.ts"
import type { ArgumentSpec, OptionSpec, Values } from "./Entry.ts"
import { kebab } from "./Kebab.ts"
import { nearest } from "./Suggest.ts"

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : []

/** The values that a parameter's schema lists, as the specification spells them; `known` ones are not the only ones. */
const listed = (
  { jsonSchema }: Parameter
): { readonly only: ReadonlyArray<string>; readonly known: ReadonlyArray<string> } => {
  const items = Predicate.isRecord(jsonSchema["items"]) ? jsonSchema["items"] : jsonSchema
  return { only: strings(items["enum"]), known: strings(items["examples"]) }
}

/** A value without spaces, so that nobody has to quote it. */
const slug = (value: string): string => value.toLowerCase().replaceAll(" ", "-")

/** What help and completion offer: names, not the ids that say the same. */
const offered = (parameter: Parameter): ReadonlyArray<string> => {
  const { known, only } = listed(parameter)
  return [...only, ...known].filter((value) => !value.startsWith("0x")).map((value) =>
    /[A-Z]/.test(value) ? value : slug(value)
  )
}

const isMany = ({ jsonSchema }: Parameter): boolean => jsonSchema.type === "array"

const isSwitch = ({ jsonSchema }: Parameter): boolean => jsonSchema.type === "boolean"

const placeholder = (parameter: Parameter): string => {
  const { name } = parameter
  if (/chain/.test(name)) return "chain"
  if (/address/.test(name)) return "address"
  if (/date/.test(name)) return "date"
  return parameter.jsonSchema.type === "integer" || parameter.jsonSchema.type === "number"
    ? "number"
    : offered(parameter).length > 0
    ? "name"
    : "text"
}

const toOption = (parameter: Parameter): OptionSpec => ({
  name: kebab(parameter.name),
  value: isSwitch(parameter) ? null : placeholder(parameter),
  description: parameter.description,
  choices: offered(parameter),
  many: isMany(parameter)
})

const toArgument = (parameter: Parameter): ArgumentSpec => ({
  name: kebab(parameter.name),
  description: parameter.description,
  choices: offered(parameter)
})

/** What has to be given, in the order of the specification. */
export const toArguments = ({ parameters }: Pick<Described, "parameters">): ReadonlyArray<ArgumentSpec> =>
  parameters.filter(isPositional).map(toArgument)

/** What may be given. */
export const toOptions = ({ parameters }: Pick<Described, "parameters">): ReadonlyArray<OptionSpec> =>
  parameters.filter((parameter) => !isPositional(parameter)).map(toOption)

const isPositional = (parameter: Parameter): boolean => parameter.in !== "query"

/** A value as the specification spells it, where its slug was written; lists are written with commas. */
const unslugged = (parameter: Parameter, written: string): string => {
  const { known, only } = listed(parameter)
  const spell = (text: string) =>
    [...only, ...known].find((value) => slug(value) === text.trim().toLowerCase()) ?? text
  return isMany(parameter) ? written.split(",").map(spell).join(",") : spell(written)
}

interface Described {
  readonly id: string
  readonly method: "GET" | "POST"
  readonly path: `/${string}`
  readonly parameters: ReadonlyArray<Parameter>
}

/** What was written, read and written again as the operation's callers write it; a left names the option. */
export const readValues = <I, Accepts>(
  operation: Described & { readonly input: Schema.Schema<I, Accepts> },
  values: Values
): Either.Either<{ readonly input: I; readonly written: Accepts }, Usage> => {
  const given = Object.fromEntries(operation.parameters.flatMap((parameter) => {
    const all = (values.get(kebab(parameter.name)) ?? []).map((value) => unslugged(parameter, value))
    return all.length === 0 ? [] : [[parameter.name, isMany(parameter) ? all : all[0]]]
  }))
  return Either.mapBoth(readInput(operation, given), {
    onLeft: (error) => usage(operation, values, error),
    onRight: (input) => ({ input, written: Schema.encodeSync(operation.input)(input) })
  })
}

/** How a parameter was written: `--from-block` or `<address>`. */
const spelled = (parameter: Parameter, isArgument: boolean): string =>
  isArgument ? `<${kebab(parameter.name)}>` : `--${kebab(parameter.name)}`

/** What the schema says, with parameters and values in the spelling of the command line. */
const respelled = ({ parameters }: Described, parameter: Parameter, problem: string): string => {
  const options = parameters.filter(({ in: place, name }) => place === "query" && name.includes("_"))
    .map(({ name }) => [name, `--${kebab(name)}`] as const)
  const values = listed(parameter).only.filter((value) => value.includes(" "))
    .map((value) => [value, slug(value)] as const)
  return [...options, ...values].reduce((text, [from, to]) => text.replaceAll(from, to), problem)
}

/** The first issue is enough: one mistake, one message. */
const usage = (operation: Described, values: Values, error: InvalidRequest): Usage => {
  const [{ parameter: path, problem }] = error.issues
  const parameter = operation.parameters.find(({ name }) => name === path.split(".")[0])
  if (parameter === undefined) return new Usage({ problem: `${path}: ${problem}`, hint: null })
  const isArgument = isPositional(parameter)
  const words = values.get(kebab(parameter.name))?.flatMap((value) => value.split(",")) ?? []
  const choices = offered(parameter)
  const meant = words.filter((word) => !choices.includes(word)).map((word) => nearest(word, choices))[0]
  return new Usage({
    problem: `${spelled(parameter, isArgument)}: ${respelled(operation, parameter, problem)}`,
    hint: meant === undefined
      ? null
      : `did you mean ${isArgument ? meant : `${spelled(parameter, false)} ${meant}`}?`
  })
}
