/** The values of options as they are sent. Whole requests are in the golden record `requests`. */
import { type AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "vitest"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { kebabCase } from "../../src/text/KebabCase.ts"
import { parse, readCases } from "../golden/cases.ts"

const operations: ReadonlyArray<AnyOperation> = allOperations

it("sets every option of every operation in the golden record", () => {
  const lines = readCases("requests").map(({ line }) => parse(line.replaceAll("--no-", "--")).argv)
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
