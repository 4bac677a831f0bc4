/** Which of several sources of a setting applies. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import { join } from "node:path"
import * as Configuration from "../../src/config/Configuration.ts"
import { settings, variableOf } from "../../src/config/Setting.ts"
import { directories } from "./support.ts"

const examples: Readonly<Record<string, string>> = {
  "base-url": "https://data.test",
  "streams-url": "https://streams.test",
  "ledger-url": "https://ledger.test",
  "ledger-testnet-url": "https://testnet.test",
  "api-key-command": "pass show quarry",
  "profile": "work",
  "chain": "polygon",
  "output": "json",
  "rate-limit": "25/10s",
  "timeout": "90s",
  "color": "never",
  "pager": "false",
  "utc": "true",
  "sandbox": "true"
}

describe("precedence", () => {
  it("is option, environment, project file, profile, user file, default", () => {
    const sources = ["option", "environment", "project", "profile", "user"]
    FastCheck.assert(FastCheck.property(
      FastCheck.subarray(sources),
      FastCheck.constantFrom("chain", "output", "timeout"),
      (present, name) => {
        const layers = sources.map((source) =>
          new Map(
            present.includes(source)
              ? [[name, { value: source, origin: { _tag: "Default" as const } }]]
              : []
          )
        )
        return Configuration.resolve(layers).get(name)?.value === present[0]
      }
    ))
  })

  it.effect("applies to files and variables", () =>
    Effect.gen(function*() {
      const { project, use, userFile, writeProject, writeUser } = yield* directories
      const chainOf = (
        env: Readonly<Record<string, string>>,
        option: ReadonlyMap<string, string> = new Map()
      ) =>
        Effect.map(use(env)(Configuration.load(option)), (loaded) => {
          const resolved = Configuration.effectiveValue(loaded, "chain")
          return resolved === null ? [] : [resolved.value, Configuration.formatOrigin(resolved.origin)]
        })
      expect(yield* chainOf({})).toEqual(["eth", "default"])
      writeUser("output: json\nchain: bsc\nprofiles:\n  work:\n    chain: base\n")
      expect(yield* chainOf({})).toEqual(["bsc", `${userFile}:2`])
      expect(yield* chainOf({ QUARRY_PROFILE: "work" })).toEqual(["base", `${userFile}:5 (profile work)`])
      writeProject("chain: linea\n")
      expect(yield* chainOf({ QUARRY_PROFILE: "work" })).toEqual([
        "linea",
        `${join(project, ".quarry.yaml")}:1`
      ])
      expect(yield* chainOf({ QUARRY_CHAIN: "polygon" })).toEqual(["polygon", "QUARRY_CHAIN"])
      expect(yield* chainOf({ QUARRY_CHAIN: "  " })).toEqual(["linea", `${join(project, ".quarry.yaml")}:1`])
      expect(yield* chainOf({ QUARRY_CHAIN: "polygon" }, new Map([["chain", "palm"]]))).toEqual([
        "palm",
        "--chain"
      ])
    }).pipe(Effect.scoped))

  it.effect("of the profile is option, environment, project file, user file", () =>
    Effect.gen(function*() {
      const { use, writeProject, writeUser } = yield* directories
      const profileOf = (
        env: Readonly<Record<string, string>>,
        option: ReadonlyMap<string, string> = new Map()
      ) => Effect.map(use(env)(Configuration.load(option)), ({ profile }) => profile)
      expect(yield* profileOf({})).toBe("default")
      writeUser("profile: user-choice\n")
      expect(yield* profileOf({})).toBe("user-choice")
      writeProject("profile: project-choice\n")
      expect(yield* profileOf({})).toBe("project-choice")
      expect(yield* profileOf({ QUARRY_PROFILE: "env-choice" })).toBe("env-choice")
      expect(yield* profileOf({ QUARRY_PROFILE: "env-choice" }, new Map([["profile", "option-choice"]])))
        .toBe(
          "option-choice"
        )
    }).pipe(Effect.scoped))
})

it.effect("every setting has a variable, and can be set in the user file and in a profile", () =>
  Effect.gen(function*() {
    const { use, writeUser } = yield* directories
    for (const { name } of settings) {
      const value = examples[name] ?? ""
      const fromVariable = yield* use({ [variableOf(name)]: value })(Configuration.load(new Map()))
      expect([name, fromVariable.values.get(name), fromVariable.issues]).toEqual([
        name,
        { value, origin: { _tag: "Environment", variable: variableOf(name) } },
        []
      ])
      writeUser(`${name}: ${value}\n`)
      const fromFile = yield* use()(Configuration.load(new Map()))
      expect([fromFile.values.get(name)?.value, fromFile.issues]).toEqual([value, []])
      if (name === "profile") continue
      writeUser(`profiles:\n  work:\n    ${name}: ${value}\n`)
      const fromProfile = yield* use({ QUARRY_PROFILE: "work" })(Configuration.load(new Map()))
      expect([fromProfile.values.get(name)?.value, fromProfile.issues]).toEqual([value, []])
      writeUser("")
    }
  }).pipe(Effect.scoped))

it.effect("an invalid variable is reported, and does not apply", () =>
  Effect.gen(function*() {
    const { use, writeUser } = yield* directories
    writeUser("chain: bsc\n")
    const loaded = yield* use({ QUARRY_CHAIN: "mars" })(Configuration.load(new Map()))
    expect(loaded.issues).toEqual([
      expect.objectContaining({ file: "QUARRY_CHAIN", message: expect.stringContaining("mars") })
    ])
    expect(loaded.values.get("chain")?.value).toBe("bsc")
    const error = yield* Effect.flip(Configuration.requireValid(loaded))
    expect(error.reason).toMatch(/^QUARRY_CHAIN: expected one of/)
  }).pipe(Effect.scoped))

it.effect("variables of switches accept 1, yes and on", () =>
  Effect.gen(function*() {
    const { use } = yield* directories
    for (
      const [text, value] of [["1", "true"], ["YES", "true"], ["on", "true"], ["0", "false"], [
        "off",
        "false"
      ]]
    ) {
      const env = { QUARRY_SANDBOX: text ?? "", QUARRY_UTC: text ?? "" }
      const loaded = yield* use(env)(Configuration.load(new Map()))
      expect([loaded.values.get("sandbox")?.value, loaded.values.get("utc")?.value]).toEqual([value, value])
    }
  }).pipe(Effect.scoped))

it.effect("a project file above the working directory applies, and one above the repository does not", () =>
  Effect.gen(function*() {
    const { project, projectFile, use, writeProject } = yield* directories
    const deep = join(project, "a/b")
    fs.mkdirSync(deep, { recursive: true })
    fs.writeFileSync(join(project, "..", ".quarry.yaml"), "chain: palm\n")
    const load = use()(
      Effect.provideService(Configuration.load(new Map()), Configuration.WorkingDirectory, deep)
    )
    expect((yield* load).values.size).toBe(0)
    writeProject("chain: bsc\n")
    const loaded = yield* load
    expect([loaded.values.get("chain")?.value, loaded.files.project]).toEqual(["bsc", projectFile])
  }).pipe(Effect.scoped))

it.effect("nothing is set without a home directory and files", () =>
  Effect.gen(function*() {
    const { use } = yield* directories
    const loaded = yield* use({ HOME: "" })(Configuration.load(new Map()))
    expect(loaded).toMatchObject({ profile: "default", profiles: ["default"], issues: [] })
    expect([loaded.values.size, loaded.files.user, loaded.files.project]).toEqual([0, null, null])
  }).pipe(Effect.scoped))
