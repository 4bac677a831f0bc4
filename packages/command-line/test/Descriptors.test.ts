/** What descriptors say, as data. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { expect, it } from "@effect/vitest"
import * as Descriptors from "../src/Descriptors.ts"

const options = Options.all({
  limit: Options.optional(Descriptors.text("limit", "number", "Most records", "l")),
  chain: Options.repeated(Descriptors.text("chain", "name", "Chains")),
  pager: Descriptors.flag("pager", "Use a pager", undefined, true),
  connect: Descriptors.flag("connect", "Connect", "c")
})

const args = Args.all([
  Args.withDescription(Args.text({ name: "address" }), "An address"),
  Args.optional(Args.withDescription(Args.text({ name: "block" }), "A block")),
  Args.repeated(Args.withDescription(Args.text({ name: "other" }), "More"))
])

it("describes options and arguments in their order", () => {
  const option = { alias: undefined, repeatable: false }
  expect(Descriptors.describeOptions(options)).toEqual([
    { ...option, name: "limit", alias: "l", value: "number", description: "Most records" },
    { ...option, name: "chain", value: "name", description: "Chains", repeatable: true },
    { ...option, name: "pager", value: null, description: "Use a pager", isNegatable: true },
    { ...option, name: "connect", alias: "c", value: null, description: "Connect" }
  ])
  expect(Descriptors.describeArguments(args)).toEqual([
    { name: "address", description: "An address", optional: false, repeatable: false },
    { name: "block", description: "A block", optional: true, repeatable: false },
    { name: "other", description: "More", optional: true, repeatable: true }
  ])
})
