/** Every error of a document is found, and reported with its position. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { parse, stringify } from "yaml"
import { keys } from "../../src/config/Config.ts"
import { flatten } from "../../src/config/ConfigKey.ts"
import * as ConfigPath from "../../src/config/ConfigPath.ts"
import type { Diagnostic } from "../../src/config/Diagnostic.ts"
import { renderExample } from "../../src/config/Example.ts"
import { filesOfExample, load, uncommented } from "./support.ts"

/** Sets every key. */
const whole: unknown = parse(uncommented(renderExample()))

/** Every key, with its path in the document. */
const all = flatten(keys).map((key) => ({
  key,
  path: key.path.flatMap((step, index) => {
    const name = step.replace("[]", "")
    return step === name || index === key.path.length - 1 ? [name] : [name, 0]
  })
}))

/** Returns the document with another value at a path. */
const replaced = (value: unknown, [step, ...rest]: ConfigPath.ConfigPath, to: unknown): unknown => {
  if (step === undefined) return to
  if (Array.isArray(value)) {
    return value.map((each, index) => index === step ? replaced(each, rest, to) : each)
  }
  return { ...Object(value), [step]: replaced(ConfigPath.get(value, [step]), rest, to) }
}

const check = (
  document: unknown
): { readonly text: string; readonly issues: ReadonlyArray<Diagnostic> } => {
  const text = stringify(document)
  const issues = Effect.runSync(
    load({ text, files: filesOfExample }).pipe(
      Effect.match({ onFailure: ({ diagnostics }) => diagnostics, onSuccess: () => [] })
    )
  )
  return { text, issues }
}

const lineOf = (text: string, { source }: Diagnostic): string | undefined =>
  source._tag === "File" && source.position !== null
    ? text.split("\n")[source.position.line - 1]
    : undefined

it("accepts a document with every key", () => expect(check(whole).issues).toEqual([]))

it.prop(
  "rejects a value of the wrong type at every key, and nothing else",
  [FastCheck.constantFrom(...all), FastCheck.constantFrom({ nonsense: 1 }, [[]], -1.5, true, null)],
  ([{ key, path }, wrong]) => {
    FastCheck.pre(!(key.kind === "section" && ConfigPath.isMapping(wrong)))
    FastCheck.pre(wrong === true ? typeof key.default !== "boolean" : wrong !== null || key.kind === "value")
    const name = ConfigPath.format(path)
    const { issues, text } = check(replaced(whole, path, wrong))
    expect(issues.length).toBeGreaterThan(0)
    for (const issue of issues) {
      expect(ConfigPath.format(issue.path).startsWith(name)).toBe(true)
      if (ConfigPath.format(issue.path) === name) {
        expect(lineOf(text, issue)).toMatch(new RegExp(`(${key.name}|nonsense):`))
      }
    }
  }
)
