/** The example configuration. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { defaults, keys } from "../../src/config/Config.ts"
import { type ConfigKey, flatten } from "../../src/config/ConfigKey.ts"
import { renderExample } from "../../src/config/Example.ts"
import { load, toPlain, uncommented } from "./support.ts"

const key = { "/run/secrets/quarry-key": "key-of-the-service" }

describe("the example", () => {
  it.effect("is the default configuration", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ text: renderExample() })
      expect(toPlain(config)).toEqual(toPlain(defaults))
      expect(warnings).toEqual([expect.stringContaining("no base URL is set")])
    }))

  it.effect("is valid with its hidden keys", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ text: uncommented(renderExample()), files: key })
      expect(warnings).toEqual([])
      expect([config.upstream.keys.length, config.clients.length, config.redis === null]).toEqual([
        1,
        1,
        false
      ])
      expect(config.upstream.baseUrls.data).toBe("https://data.example.com/api/v2.2")
    }))

  it("is part of the documentation", () => {
    const page = readFileSync(new URL("../../../../docs/proxy/configuration.md", import.meta.url), "utf8")
    expect(page).toContain(`\`\`\`yaml\n${renderExample().trimEnd()}\n\`\`\``)
  })

  it("contains every key", () => {
    const check = (keys: ReadonlyArray<ConfigKey>, value: unknown): void => {
      const section: unknown = Array.isArray(value) ? value[0] : value
      expect(Object.keys(Object(section))).toEqual(keys.map(({ name }) => name))
      for (const { keys: inner, kind, name } of keys) {
        if (kind !== "value") check(inner, Object(section)[name])
      }
    }
    check(keys, parse(uncommented(renderExample())))
  })

  it("describes every key, in lines of at most 110 characters", () => {
    for (const { description, name } of flatten(keys)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)])
    }
    for (const line of renderExample().split("\n")) expect(line.length).toBeLessThanOrEqual(110)
  })
})
