/** The example configuration. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { defaults } from "../../src/config/Config.ts"
import { renderExample } from "../../src/config/Example.ts"
import * as InProcess from "../golden-config/inProcess.ts"
import { filesOfExample, load, toPlain, uncommented } from "./support.ts"

it.effect("is the default configuration", () =>
  Effect.gen(function*() {
    const { config, warnings } = yield* load({ text: renderExample() })
    expect(toPlain(config)).toEqual(toPlain(defaults))
    expect(warnings).toEqual([expect.stringContaining("no base URL is set")])
  }))

it.effect("is valid with its hidden keys, of which some need others", () =>
  Effect.gen(function*() {
    const { config, warnings } = yield* load({ text: uncommented(renderExample()), files: filesOfExample })
    expect([warnings, config.upstream.keys.length, config.clients.length]).toEqual([[], 1, 1])
  }))

it("is part of the documentation, as the program prints it", async () => {
  const args = ["config", "example"]
  const printed = await InProcess.run({
    title: "",
    args,
    env: {},
    files: {},
    signal: "SIGINT"
  })
  const page = readFileSync(new URL("../../../../docs/proxy/configuration.md", import.meta.url), "utf8")
  expect(page).toContain(`\`\`\`yaml\n${printed.stdout}\`\`\``)
})
