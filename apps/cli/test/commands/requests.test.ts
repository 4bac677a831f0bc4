/** The values of options as they are sent. Whole requests are in the golden record `requests`. */
import { type AnyOperation, type Parameter } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { expect, it } from "vitest"
import { decodeArguments } from "../../src/args/OperationParameters.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { exampleLines } from "../../src/help/Help.ts"
import { arrange } from "../../src/invocation/Arrange.ts"
import { kebabCase } from "../../src/text/KebabCase.ts"
import { cases, parse } from "../golden/cases.ts"

const operations: ReadonlyArray<AnyOperation> = allOperations

it("sets every option of every operation in the golden record", () => {
  const lines = cases["requests"]?.map(({ line }) => parse(line.replaceAll("--no-", "--")).argv) ?? []
  for (const { operation: id, path } of commandLine.commands.filter(({ path }) => path[0] !== "watch")) {
    const { parameters = [] } = operations.find((operation) => operation.id === id) ?? {}
    const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) =>
      `--${kebabCase(name)}`
    )
    const own = lines.filter((line) => path.every((word, index) => line[index] === word))
    if (id !== null) {
      const missing = own.map((line) => names.filter((name) => !line.includes(name)))
      expect([path, missing]).toEqual([path, expect.arrayContaining([[]])])
    }
  }
})

/** Values of an option, and what the request contains for them. */
const valuesOf = (
  { jsonSchema, name }: Parameter
): ReadonlyArray<readonly [option: ReadonlyArray<string>, sent: string]> => {
  const { items, type } = jsonSchema
  const schema = Predicate.isRecord(items) ? items : jsonSchema
  const strings = (value: unknown) => Array.isArray(value) ? value.filter(Predicate.isString) : []
  const listed = [...strings(schema["enum"]), ...strings(schema["examples"])]
  const chainId = (value: string) => listed[listed.indexOf(value) + 1] ?? ""
  const option = `--${kebabCase(name)}`
  if (/chain/.test(name)) {
    return listed.filter((value) => !value.startsWith("0x")).flatMap((value) => [
      [[option, value.replaceAll(" ", "-")], chainId(value)],
      [[option, value.toUpperCase()], chainId(value)],
      [[option, chainId(value)], chainId(value)]
    ])
  }
  if (type === "boolean") return [[[option], "true"], [[`--no-${kebabCase(name)}`], "false"]]
  if (listed.length > 0) {
    return listed.flatMap((value) => [
      [[option, value], value],
      [[option, value.toLowerCase().replaceAll(" ", "-")], value]
    ])
  }
  if (type === "integer") return ["1", "100"].map((value) => [[option, value], value])
  if (/date/.test(name)) {
    return [
      [[option, "2024-01-31"], "2024-01-31T00:00:00.000Z"],
      [[option, "2024-01-31T12:00:00+02:00"], "2024-01-31T10:00:00.000Z"]
    ]
  }
  return /address/.test(name)
    ? [[[option, "0xF124A828C0FC24A9F753C3EBB18EF93C74A67993"], "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"]]
    : [[[option, "a b+c/d=&?#é%"], "a b+c/d=&?#é%"], [[`${option}=-x`], "-x"]]
}

/** The number of a subrange requires the number of subranges. */
const companions: Readonly<Record<string, readonly [option: string, sent: string]>> = {
  range: ["--total-ranges=200", "totalRanges=200"]
}

it.each(operations)("sends each value of each option of $id", (operation) => {
  const command = commandLine.commands.find(({ operation: id }) => id === operation.id)
  const [example = ""] = command === undefined ? [] : exampleLines(command)
  const [, ...words] = example.replace(/ --.*/, "").split(" ")
  for (const parameter of operation.parameters.filter((parameter) => parameter.in === "query")) {
    for (const [option, value] of valuesOf(parameter)) {
      const [more, alsoSent] = companions[parameter.name] ?? []
      const argv = [...words, ...more === undefined ? [] : [more], ...option]
      const { invocation } = arrange(commandLine, argv)
      if (invocation._tag !== "Run") throw new Error(`${argv.join(" ")} shows help`)
      const args = invocation.command.arguments.map(({ name }, index) =>
        [name, [invocation.args[index] ?? ""]] as const
      )
      const values = new Map([...invocation.options, ...args])
      const { input } = Either.getOrThrow(decodeArguments(operation, values))
      const wireName = parameter.jsonSchema.type === "array" ? `${parameter.name}[]` : parameter.name
      expect([option, encodeRequest(operation, input).query.map((each) => each.join("="))]).toEqual([
        option,
        [...alsoSent === undefined ? [] : [alsoSent], `${wireName}=${value}`]
      ])
    }
  }
})
