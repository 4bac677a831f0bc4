/** `--query`: parameters that the description of an operation does not have. They are sent as they are written. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import { closestSpelling } from "@blockquarry/core/Suggestion"
import * as Effect from "effect/Effect"
import { UsageError } from "../errors/CommandError.ts"
import { kebabCase } from "../text/KebabCase.ts"
import type { ArgumentValues } from "./ArgumentValues.ts"
import { textOption } from "./CommandOption.ts"

export const queryOption = textOption(
  "query",
  "name=value",
  "Add a parameter to the query of each request, as it is written",
  { isRepeatable: true, group: "connection" }
)

const usageError = (reason: string, word: string, hint: string | null): UsageError =>
  new UsageError({ reason: `--${queryOption.name}: ${reason}, got ${JSON.stringify(word)}`, hint })

/** Returns the parameters. Fails if the operation has one of them, or one with a similar name. */
export const addedQuery = (
  { parameters }: Pick<AnyOperation, "parameters">,
  values: ArgumentValues
): Effect.Effect<EncodedRequest["query"], UsageError> =>
  Effect.forEach(values.get(queryOption.name) ?? [], (word) => {
    const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (name === undefined) return usageError("expected name=value", word, null)
    // As in `name[]` and `name[0]`
    const known = closestSpelling(name.replace(/\[\d*\]$/, ""), parameters.map(({ name }) => name))
    const parameter = parameters.find(({ name }) => name === known)
    if (parameter === undefined) return Effect.succeed([name, value] as const)
    const option = kebabCase(parameter.name)
    const label = parameter.in === "query" ? `--${option}` : `<${option}>`
    return usageError(
      `${label} sets this parameter`,
      word,
      `use ${label}; quarry api GET <path> sends parameters of any name`
    )
  })
