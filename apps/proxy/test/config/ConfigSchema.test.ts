/** Laws of the document: whatever is wrong in it is found, and said where it is. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { parse, stringify } from "yaml"
import * as ConfigPath from "../../src/config/ConfigPath.ts"
import type { Diagnostic } from "../../src/config/Diagnostic.ts"
import { renderExample } from "../../src/config/Example.ts"
import * as SchemaFields from "../../src/config/SchemaFields.ts"
import { load, uncommented } from "./support.ts"

/** Every setting is said here. */
const whole: unknown = parse(uncommented(renderExample()))

interface SettingEntry {
  readonly path: ConfigPath.ConfigPath
  readonly field: SchemaFields.SettingField
}

const settings = (
  fields: ReadonlyArray<SchemaFields.SettingField>,
  above: ConfigPath.ConfigPath
): ReadonlyArray<SettingEntry> =>
  fields.flatMap((field) => {
    const path = [...above, field.name]
    const inside = field.kind._tag === "Value"
      ? []
      : settings(field.kind.fields, field.kind._tag === "Section" ? path : [...path, 0])
    return [{ path, field }, ...inside]
  })

const all = settings(SchemaFields.documentFields, [])

/** The document with something else at a path. */
const replaceAt = (value: unknown, [step, ...rest]: ConfigPath.ConfigPath, to: unknown): unknown => {
  if (step === undefined) return to
  if (Array.isArray(value)) {
    return value.map((each, index) => index === step ? replaceAt(each, rest, to) : each)
  }
  return { ...Object(value), [step]: replaceAt(ConfigPath.getAt(value, [step]), rest, to) }
}

const problemsOf = (
  document: unknown
): { readonly text: string; readonly problems: ReadonlyArray<Diagnostic> } => {
  const text = stringify(document)
  const problems = Effect.runSync(
    load({ text, files: { "/run/secrets/quarry-key": "key" } }).pipe(
      Effect.match({ onFailure: ({ diagnostics }) => diagnostics, onSuccess: () => [] })
    )
  )
  return { text, problems }
}

const lineOf = (text: string, { source }: Diagnostic): string | undefined =>
  source._tag === "File" && source.position !== null ? text.split("\n")[source.position.line - 1] : undefined

it("the whole document is right", () => expect(problemsOf(whole).problems).toEqual([]))

describe("something of a wrong kind", () => {
  const invalidValues = (setting: SettingEntry): ReadonlyArray<unknown> => [
    { nonsense: 1 },
    [[]],
    -1.5,
    ...(typeof setting.field.default === "boolean" ? [] : [true]),
    ...(setting.field.kind._tag === "Value" ? [null] : [])
  ]

  it.each(all.map((setting) => [ConfigPath.formatPath(setting.path), setting] as const))(
    "%s",
    (name, setting) => {
      for (const wrong of invalidValues(setting)) {
        // A section that has an unknown setting is of the right kind
        if (setting.field.kind._tag === "Section" && ConfigPath.isRecord(wrong)) continue
        const { problems, text } = problemsOf(replaceAt(whole, setting.path, wrong))
        const problem = problems.find(({ path }) => ConfigPath.formatPath(path).startsWith(name))
        expect([wrong, problem !== undefined]).toEqual([wrong, true])
        if (problem !== undefined && ConfigPath.formatPath(problem.path) === name) {
          expect(lineOf(text, problem)).toMatch(new RegExp(`(${setting.field.name}|nonsense):`))
        }
        // Nothing else is said of what else is there
        expect(problems.filter(({ path }) => !ConfigPath.formatPath(path).startsWith(name))).toEqual([])
      }
    }
  )
})

describe("a name that is not known", () => {
  const sections: ReadonlyArray<readonly [string, ConfigPath.ConfigPath, ReadonlyArray<string>]> = [
    ["the document", [], SchemaFields.documentFields.map(({ name }) => name)],
    ["upstream.keys[0].secret", ["upstream", "keys", 0, "secret"], ["file", "env"]],
    ...all.flatMap(({ field, path }) =>
      field.kind._tag === "Value" ? [] : [
        [
          ConfigPath.formatPath(path),
          field.kind._tag === "Section" ? path : [...path, 0],
          field.kind.fields.map(({ name }) => name)
        ] as const
      ]
    )
  ]

  it.prop(
    "has a suggestion at every level",
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
      const { problems, text } = problemsOf(replaceAt(whole, [...path, typo], "anything"))
      expect(problems).toHaveLength(1)
      expect(known).toContain(problems[0]?.suggestion)
      expect(problems[0]?.message).toContain("no such setting")
      expect(lineOf(text, problems[0]!)).toContain(typo)
    }
  )

  it("is looked for in other sections", () => {
    const { problems } = problemsOf({ port: 1, Redis: {}, maxbytes: 1, tokens: [], sandbox: true })
    expect(problems.map(({ suggestion }) => suggestion)).toEqual([
      "listen.port",
      "redis",
      "cache.maxBytes",
      "operations.tokens",
      "upstream.sandbox"
    ])
  })

  it("is answered with those that are, where nothing is near", () => {
    const [problem] = problemsOf({ log: { zzz: 1 } }).problems
    expect(problem).toMatchObject({ message: "there is no such setting; here are level and requests" })
  })
})

describe("a word that is not known", () => {
  it.each<[ConfigPath.ConfigPath, unknown, string]>([
    [["budgets", "mode"], "shadwo", "shadow"],
    [["log", "level"], "warn", "warning"],
    [["upstream", "keys", 0, "addresses", 0], "ledgertestnet", "ledgerTestnet"],
    [["clients", 0, "scopes", 0], "read", "reads"],
    [["clients", 0, "scopes", 0], "tokenprice", "tokenPrice"]
  ])("%j", (path, word, suggestion) => {
    const { problems } = problemsOf(replaceAt(whole, path, word))
    expect(problems).toMatchObject([{ path, suggestion, found: JSON.stringify(word) }])
  })
})

describe("values", () => {
  const refused: ReadonlyArray<readonly [ConfigPath.ConfigPath, ReadonlyArray<unknown>]> = [
    [["listen", "host"], ["", "[::1]", "127.0.0.1:80", "http://x", "a b", "-a", "a..b", "x".repeat(254)]],
    [["listen", "port"], [-1, 65_536, 1.5, "80"]],
    [["listen", "hosts", 0], ["a:80", "*.example.com", "http://a", ""]],
    [["listen", "forwarders", 0], [
      "10.0.0.0/33",
      "::/129",
      "10.0.0",
      "10.0.0.1/",
      "localhost",
      "fe80::1%eth0",
      "10.0.0.1/-1"
    ]],
    [["operations", "tokens", 0], ["sha256:abc", "a".repeat(64), `sha512:${"a".repeat(64)}`, "qp_secret"]],
    [["upstream", "addresses", "data"], ["example.com", "ftp://x", "https://x?y", "https://u:p@x"]],
    [["upstream", "keys", 0, "name"], ["", "a b", "x".repeat(65), "ü"]],
    [["upstream", "keys", 0, "secret"], [{}, { file: "/a", env: "A" }, { file: "a" }, { file: "/" }, {
      env: "a"
    }, { env: "" }]],
    [["upstream", "keys", 0, "limit"], ["100", "0/s", "fast", 100]],
    [["upstream", "keys", 0, "perDay"], [0, -1, 1.5, "40000", "nothing"]],
    [["upstream", "keys", 0, "addresses"], [[]]],
    [["clients", 0, "name"], ["open", "nobody", "a/b"]],
    [["budgets", "maxWait"], ["61s", "2", 2, "2m", "-1s"]],
    [["budgets", "maxQueue"], [-1, 0.5]],
    [["cache", "maxBytes"], [0, "0B", "64", "64M", -1]],
    [["limits", "receive"], ["0s", "25d"]],
    [["limits", "requests"], [0]],
    [["redis", "processes"], [0, 1.5]],
    [["redis", "prefix"], ["a b", "x".repeat(65)]],
    [["redis", "url"], ["http://x", "redis", "redis://x?y", "redis://:p@x", "redis://u:p@x", "redis://"]]
  ]
  it.each(
    refused.flatMap(([path, values]) =>
      values.map((value) => [ConfigPath.formatPath(path), value, path] as const)
    )
  )(
    "%s is not %j",
    (_, value, path) => {
      const list = path.at(-1) === 0 && path.length < 4
      const document = list ? replaceAt(whole, path.slice(0, -1), [value]) : replaceAt(whole, path, value)
      const { problems } = problemsOf(document)
      expect(problems.length).toBeGreaterThan(0)
      for (const problem of problems) {
        expect(ConfigPath.formatPath(problem.path)).toContain(ConfigPath.formatPath(path))
      }
    }
  )

  const taken: ReadonlyArray<readonly [ConfigPath.ConfigPath, unknown]> = [
    [["listen", "host"], "::1"],
    [["listen", "hosts"], ["Quarry.internal", "a_b"]],
    [["listen", "forwarders"], ["10.0.0.0/8", "fd00::/8", "192.168.1.1", "::1", "0.0.0.0/0"]],
    [["operations"], "off"],
    [["operations", "tokens"], [`sha256:${"AB".repeat(32)}`]],
    [["upstream", "addresses", "streams"], "http://10.0.0.1:8080/streams/"],
    [["clients", 0, "scopes"], ["reads", "changes", "tokenPrice"]],
    [["clients", 0, "limit"], "50/s"],
    [["clients", 0, "perDay"], 1_000_000],
    [["budgets", "maxWait"], "0s"],
    [["budgets", "maxQueue"], 0],
    [["cache", "maxBytes"], 1000],
    [["redis", "url"], "rediss://redis:6380/1"]
  ]
  it.each(taken.map(([path, value]) => [ConfigPath.formatPath(path), value, path] as const))(
    "%s may be %j",
    (_, value, path) => expect(problemsOf(replaceAt(whole, path, value)).problems).toEqual([])
  )
})

it("sections that say nothing are as none, but for what has to be said", () => {
  expect(problemsOf(null).problems).toEqual([])
  const empty = Object.fromEntries(
    SchemaFields.documentFields.flatMap(({ kind, name }) => kind._tag === "Value" ? [] : [[name, null]])
  )
  expect(problemsOf(empty).problems).toMatchObject([{ path: ["redis", "url"] }])
})

it("what is no section at all is not repeated", () => {
  const { problems } = problemsOf("s3cret")
  expect(problems).toMatchObject([{ path: [], found: "text" }])
})
