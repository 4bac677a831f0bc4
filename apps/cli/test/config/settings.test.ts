/** Settings: their names, their sources and their values. How they apply is in the golden records. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import * as Configuration from "../../src/config/Configuration.ts"
import { settings, variableOf } from "../../src/config/Setting.ts"
import { directories } from "../support/directories.ts"

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

it("have the names of options", () => {
  const options = [...commandLine.globalOptions, ...commandLine.commands.flatMap(({ options }) => options)]
  const names = new Set(options.map(({ name }) => name))
  // A switch that is on by default has an option that turns it off
  const missing = settings.filter(({ name }) => !names.has(name) && !names.has(`no-${name}`))
  expect(missing.map(({ name }) => name)).toEqual(["api-key-command"])
})

it.effect("have a variable, and can be set in the user file and in a profile", () =>
  Effect.gen(function*() {
    const { use, writeUser } = yield* directories
    for (const { name } of settings) {
      const value = examples[name] ?? ""
      const sources = [[`${name}: ${value}\n`, {}], ["", { [variableOf(name)]: value }]] as const
      const inProfile = [`profiles:\n  work:\n    ${name}: ${value}\n`, { QUARRY_PROFILE: "work" }] as const
      for (const [file, env] of name === "profile" ? sources : [...sources, inProfile]) {
        writeUser(file)
        const { issues, values } = yield* use(env)(Configuration.load(new Map()))
        expect([name, values.get(name)?.value, issues]).toEqual([name, value, []])
      }
    }
  }))

it.live("accept what config get prints, also defaults", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    for (const { defaultValue, name } of settings) {
      if (defaultValue === null && name !== "output") continue
      const printed = yield* run(["config", "get", name])
      expect([name, (yield* run(["config", "set", name, printed.out.trim()])).code]).toEqual([name, 0])
    }
  }))
