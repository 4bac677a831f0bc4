/** Loads secrets from the configuration: neither the printed configuration nor an error contains them. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Load from "../../src/config/Load.ts"
import * as Print from "../../src/config/Print.ts"
import { fakeFileSystem } from "../config/support.ts"
import { encodedSecrets, findSecrets, hashOf, secrets } from "./support.ts"

describe("the configuration", () => {
  it.effect("is printed without secrets", () =>
    Effect.gen(function*() {
      const text = `
upstream:
  baseUrls: { data: "http://127.0.0.1:1" }
  keys:
    - { name: data, secret: { file: /run/data }, rateLimit: 100/s }
    - { name: others, secret: { env: OTHERS }, rateLimit: 100/s, upstreams: [streams] }
clients:
  - { name: mine, tokens: ["${hashOf(secrets.mine)}"] }
admin: { tokens: ["${hashOf(secrets.operator)}"] }
redis: { url: { env: REDIS } }
`
      const loaded = yield* Effect.provide(
        Load.load({
          file: "/etc/quarry-proxy.yaml",
          optionValues: {},
          env: {
            OTHERS: secrets.others,
            REDIS: `redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1:6379`
          }
        }),
        fakeFileSystem({ "/etc/quarry-proxy.yaml": text, "/run/data": secrets.data })
      )
      expect(loaded.config.upstream.keys.map(({ secret }) => Redacted.value(secret)))
        .toEqual([secrets.data, secrets.others])
      const printed = Print.printConfig(loaded)
      expect(printed).toContain("others")
      for (
        const one of [printed, JSON.stringify(loaded), String(loaded.config), loaded.warnings.join("\n")]
      ) {
        expect(findSecrets(one)).toEqual([])
      }
    }))

  it.effect("is rejected without quoting secrets", () =>
    Effect.gen(function*() {
      const inline = `
upstream: { keys: [{ name: data, secret: ${JSON.stringify(secrets.data)}, rateLimit: ${
        JSON.stringify(secrets.others)
      } }] }
clients: [{ name: mine, tokens: [${JSON.stringify(secrets.mine)}], scopes: [read] }]
admin: { tokens: [${JSON.stringify(secrets.operator)}] }
redis: { url: ${JSON.stringify(`redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1`)} }
`
      const { diagnostics } = yield* Effect.flip(Effect.provide(
        Load.load({ file: "/etc/quarry-proxy.yaml", optionValues: {}, env: {} }),
        fakeFileSystem({ "/etc/quarry-proxy.yaml": inline })
      ))
      expect(diagnostics.length).toBeGreaterThan(3)
      const text = JSON.stringify(diagnostics)
      for (const { name, encoded } of encodedSecrets) {
        // A limit cannot hold a secret, so the message quotes it
        if (name !== "others") expect([name, text.includes(encoded)]).toEqual([name, false])
      }
    }))
})
