/** The example, which is made from the document's schema. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "yaml"
import { defaults } from "../../src/config/Config.ts"
import { renderExample } from "../../src/config/Example.ts"
import * as SchemaFields from "../../src/config/SchemaFields.ts"
import { load, toPlain, uncommented } from "./support.ts"

const key = { "/run/secrets/quarry-key": "key" }

describe("the example", () => {
  it.effect("is the configuration that is there without one", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ text: renderExample() })
      expect(toPlain(config)).toEqual(toPlain(defaults))
      expect(warnings).toEqual([])
    }))

  it.effect("is right in its hidden parts too", () =>
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

  it("has every setting", () => {
    const names = (fields: ReadonlyArray<SchemaFields.SettingField>, value: unknown): void => {
      const section: unknown = Array.isArray(value) ? value[0] : value
      expect(Object.keys(Object(section))).toEqual(fields.map(({ name }) => name))
      for (const { kind, name } of fields) {
        if (kind._tag !== "Value") names(kind.fields, Object(section)[name])
      }
    }
    names(SchemaFields.documentFields, parse(uncommented(renderExample())))
  })

  it("says of each what it is for, in lines that fit a screen", () => {
    const all = (
      fields: ReadonlyArray<SchemaFields.SettingField>
    ): ReadonlyArray<SchemaFields.SettingField> =>
      fields.flatMap((field) => [field, ...(field.kind._tag === "Value" ? [] : all(field.kind.fields))])
    for (const { description, name } of all(SchemaFields.documentFields)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)])
    }
    for (const line of renderExample().split("\n")) expect(line.length).toBeLessThanOrEqual(110)
  })

  it("names the variables", () => {
    for (
      const name of ["QUARRY_PROXY_HOST", "QUARRY_PROXY_OPERATIONS", "QUARRY_BASE_URL", "QUARRY_REDIS_URL"]
    ) {
      expect(renderExample()).toContain(`(${name})`)
    }
  })
})
