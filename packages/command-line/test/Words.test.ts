/** The words of command lines. Records of both programs have the messages of problems. */
import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { readWords } from "../src/Words.ts"

const known = [
  { name: "output", alias: "o", value: "format" },
  { name: "limit", value: "number" },
  { name: "verbose", alias: "v", value: null, isNegatable: true },
  { name: "no-input", value: null, isNegatable: true },
  { name: "help", alias: "h", value: null, isNegatable: true, choices: ["all"] },
  { name: "connect", alias: "c", value: null }
]

const read = (line: string) => {
  const { options, positionals, problems } = readWords(known, line.split(" "))
  return [
    [...options].map(([name, values]) => `${name}=${values.join("+")}`).join(" "),
    positionals.join(" "),
    problems.map((problem) =>
      problem._tag === "UnknownOption"
        ? `${problem.flag} in ${problem.word}`
        : problem._tag === "MissingValue"
        ? `--${problem.option.name} without ${problem.option.value}, before ${problem.next}`
        : `${problem.option.name}=${problem.value}`
    ).join(", ")
  ]
}

it.each([
  ["-vo json -o=yaml", ["verbose=true output=json+yaml", "", ""]],
  ["--no-input --no-no-input", ["no-input=true+false", "", ""]],
  ["--help all --verbose all", ["help=all verbose=true", "all", ""]],
  ["--connect true -c", ["connect=true+true", "true", ""]],
  ["- a -- --limit --", ["", "- a --limit --", ""]],
  ["-vx --nope=1 --=x --no-limit --no-connect a", [
    "verbose=true",
    "a",
    "-x in -vx, --nope in --nope=1, --=x in --=x, --no-limit in --no-limit, --no-connect in --no-connect"
  ]],
  ["--limit --output", [
    "",
    "",
    "--limit without number, before --output, --output without format, before undefined"
  ]],
  ["-o -- a", ["", "a", "--output without format, before --"]],
  ["--verbose=maybe --connect=true", ["", "", "verbose=maybe, connect=true"]]
])("reads %j", (line, expected) => {
  expect(read(line)).toEqual(expected)
})

it("reads options anywhere among the other words, in every spelling", () => {
  const text = FastCheck.string({ minLength: 1 }).filter((text) => !text.startsWith("-"))
  const option = FastCheck.oneof(
    FastCheck.tuple(FastCheck.constantFrom("--output=", "-o"), text).map(([flag, value]) =>
      [`${flag}${value.replace(/^=/, "")}`] as const
    ).filter(([word]) => word !== "-o" && word !== "--output="),
    FastCheck.tuple(FastCheck.constantFrom("--output", "-o"), text)
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(FastCheck.oneof(option, FastCheck.tuple(text))), (parts) => {
      const isOption = ([first]: (typeof parts)[number]) => first.startsWith("-")
      const { options, positionals, problems } = readWords(known, parts.flat())
      expect(problems).toEqual([])
      expect(positionals).toEqual(parts.filter((part) => !isOption(part)).flat())
      expect(options.get("output") ?? []).toEqual(
        parts.filter(isOption).map(([flag, value]) => value ?? flag.replace(/^(?:--output=|-o)/, ""))
      )
    })
  )
})
