/** Every error of a document is found, and reported with its position. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { parse, stringify } from "yaml"
import { keys } from "../../src/config/Config.ts"
import type { ConfigKey } from "../../src/config/ConfigKey.ts"
import * as ConfigPath from "../../src/config/ConfigPath.ts"
import type { Diagnostic } from "../../src/config/Diagnostic.ts"
import { renderExample } from "../../src/config/Example.ts"
import { load, uncommented } from "./support.ts"

/** Sets every key. */
const whole: unknown = parse(uncommented(renderExample()))

interface Located {
  readonly path: ConfigPath.ConfigPath
  readonly key: ConfigKey
}

const within = (keys: ReadonlyArray<ConfigKey>, above: ConfigPath.ConfigPath): ReadonlyArray<Located> =>
  keys.flatMap((key) => {
    const path = [...above, key.name]
    const inner = key.kind === "value" ? [] : within(key.keys, key.kind === "section" ? path : [...path, 0])
    return [{ path, key }, ...inner]
  })

const all = within(keys, [])

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
    load({ text, files: { "/run/secrets/quarry-key": "key-of-the-service" } }).pipe(
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

describe("rejects a value of the wrong type at", () => {
  const wrongs = ({ key }: Located): ReadonlyArray<unknown> => [
    { nonsense: 1 },
    [[]],
    -1.5,
    ...(typeof key.default === "boolean" ? [] : [true]),
    ...(key.kind === "value" ? [null] : [])
  ]

  it.each(all.map((located) => [ConfigPath.format(located.path), located] as const))(
    "%s",
    (name, located) => {
      for (const wrong of wrongs(located)) {
        // A section with an unknown key has the right type
        if (located.key.kind === "section" && ConfigPath.isMapping(wrong)) continue
        const { issues, text } = check(replaced(whole, located.path, wrong))
        const issue = issues.find(({ path }) => ConfigPath.format(path).startsWith(name))
        expect([wrong, issue !== undefined]).toEqual([wrong, true])
        if (issue !== undefined && ConfigPath.format(issue.path) === name) {
          expect(lineOf(text, issue)).toMatch(new RegExp(`(${located.key.name}|nonsense):`))
        }
        // There are no other errors
        expect(issues.filter(({ path }) => !ConfigPath.format(path).startsWith(name))).toEqual([])
      }
    }
  )
})

describe("an unknown key", () => {
  const sections: ReadonlyArray<readonly [string, ConfigPath.ConfigPath, ReadonlyArray<string>]> = [
    ["the document", [], keys.map(({ name }) => name)],
    ["upstream.keys[0].secret", ["upstream", "keys", 0, "secret"], ["file", "env"]],
    ...all.flatMap(({ key, path }) =>
      key.kind === "value" ? [] : [
        [
          ConfigPath.format(path),
          key.kind === "section" ? path : [...path, 0],
          key.keys.map(({ name }) => name)
        ] as const
      ]
    )
  ]

  it.prop(
    "is reported with a suggestion at every level",
    [
      FastCheck.constantFrom(...sections),
      FastCheck.nat(),
      FastCheck.nat(),
      FastCheck.constantFrom("q", "", "twice")
    ],
    ([[, path, known], which, where, change]) => {
      const name = known[which % known.length] ?? ""
      const at = where % name.length
      const typo = name.slice(0, at) + (change === "twice" ? name[at]!.repeat(2) : change) +
        name.slice(at + 1)
      FastCheck.pre(typo !== "" && !known.includes(typo) && typo.length > 2)
      const { issues, text } = check(replaced(whole, [...path, typo], "anything"))
      expect(issues).toHaveLength(1)
      expect(known).toContain(issues[0]?.suggestion)
      expect(issues[0]?.message).toContain("unknown key")
      expect(lineOf(text, issues[0]!)).toContain(typo)
    }
  )

  it("is searched for in other sections", () => {
    const { issues } = check({ port: 1, Redis: {}, maxbytes: 1, tokens: [], sandbox: true })
    expect(issues.map(({ suggestion }) => suggestion)).toEqual([
      "listen.port",
      "redis",
      "cache.maxBytes",
      "admin.tokens",
      "upstream.sandbox"
    ])
  })
})

describe("suggests a known word for", () => {
  it.each<[ConfigPath.ConfigPath, unknown, string]>([
    [["quotas", "mode"], "shadwo", "shadow"],
    [["log", "level"], "warn", "warning"],
    [["upstream", "keys", 0, "upstreams", 0], "ledgertestnet", "ledgerTestnet"],
    [["clients", 0, "scopes", 0], "reads", "read"],
    [["clients", 0, "scopes", 0], "tokenprice", "tokenPrice"],
    [["quotas", "maxWait"], "2 s", "2s"],
    [["quotas", "maxWait"], "2 seconds", "2s"],
    [["clients", 0, "rateLimit"], "50 / s", "50/s"],
    [["clients", 0, "rateLimit"], "50 per second", "50/s"]
  ])("%j", (path, word, suggestion) => {
    const { issues } = check(replaced(whole, path, word))
    expect(issues).toMatchObject([{ path, suggestion, got: JSON.stringify(word) }])
  })
})

it("shows a number with an unknown unit, and no other text with spaces", () => {
  const gotOf = (text: string) => check(replaced(whole, ["quotas", "maxWait"], text)).issues[0]
  expect(gotOf("2 sec")).toMatchObject({ got: "\"2 sec\"", suggestion: undefined })
  expect(gotOf("2 s secret")).toMatchObject({ got: "a string", suggestion: undefined })
  expect(gotOf("secret 2s")).toMatchObject({ got: "a string", suggestion: undefined })
})
