/** The example, which is made from the document's schema. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "yaml"
import { defaults } from "../../src/Config/Config.ts"
import { example } from "../../src/Config/Example.ts"
import * as Outline from "../../src/Config/Outline.ts"
import { load, plain, uncommented } from "./support.ts"

const key = { "/run/secrets/quarry-key": "key" }

describe("the example", () => {
  it.effect("is the configuration that is there without one", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ text: example() })
      expect(plain(config)).toEqual(plain(defaults))
      expect(warnings).toEqual([])
    }))

  it.effect("is right in its hidden parts too", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* load({ text: uncommented(example()), files: key })
      expect(warnings).toEqual([])
      expect([config.upstream.keys.length, config.clients.length, config.redis === null]).toEqual([
        1,
        1,
        false
      ])
      expect(config.upstream.addresses.data).toBe("https://data.example.com/api/v2.2")
    }))

  it("has every setting", () => {
    const names = (fields: ReadonlyArray<Outline.Field>, value: unknown): void => {
      const section: unknown = Array.isArray(value) ? value[0] : value
      expect(Object.keys(Object(section))).toEqual(fields.map(({ name }) => name))
      for (const { inner, name } of fields) {
        if (inner._tag !== "Value") names(inner.fields, Object(section)[name])
      }
    }
    names(Outline.document, parse(uncommented(example())))
  })

  it("says of each what it is for, in lines that fit a screen", () => {
    const all = (fields: ReadonlyArray<Outline.Field>): ReadonlyArray<Outline.Field> =>
      fields.flatMap((field) => [field, ...(field.inner._tag === "Value" ? [] : all(field.inner.fields))])
    for (const { description, name } of all(Outline.document)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)])
    }
    for (const line of example().split("\n")) expect(line.length).toBeLessThanOrEqual(110)
  })

  it("names the variables", () => {
    for (
      const name of ["QUARRY_PROXY_HOST", "QUARRY_PROXY_OPERATIONS", "QUARRY_BASE_URL", "QUARRY_REDIS_URL"]
    ) {
      expect(example()).toContain(`(${name})`)
    }
  })
})
