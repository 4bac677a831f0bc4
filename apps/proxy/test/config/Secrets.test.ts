/** Secrets: where they are read from, and that nothing quotes them. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { stringify } from "yaml"
import { formatDiagnostic } from "../../src/config/Diagnostic.ts"
import { printConfig } from "../../src/config/Print.ts"
import { baseUrlAndKey, type FileEntry, load, type LoadInput } from "./support.ts"

const key = "key-of-the-service"

const inFile = (entry: string | FileEntry): LoadInput => ({
  text: "upstream: { keys: [{ name: k, secret: { file: /k } }] }",
  files: { "/k": entry }
})

const secretOf = (input: LoadInput) =>
  Effect.map(load(input), ({ config }) => config.upstream.keys.map(({ secret }) => Redacted.value(secret)))

describe("a secret in a file", () => {
  it.effect("is the text without the line ending", () =>
    Effect.gen(function*() {
      for (const end of ["", "\n", "\r\n"]) expect(yield* secretOf(inFile(`${key}${end}`))).toEqual([key])
    }))
})

describe("the certificates of Redis", () => {
  const at = (certificate: string | FileEntry) =>
    load({
      text:
        "redis: { url: rediss://redis, tls: { ca: { file: /ca }, certificate: { file: /c }, key: { file: /k } } }",
      files: {
        "/ca": { text: "# An issuer\n-----BEGIN CERTIFICATE-----\n", mode: 0o100644 },
        "/c": certificate,
        "/k": { text: "Bag Attributes\n    localKeyID: 01\n-----BEGIN PRIVATE KEY-----\n", mode: 0o100644 }
      },
      env: baseUrlAndKey
    })

  it.effect("are PEM after any other lines; only those of a private key must not be readable by others", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* at({ text: "-----BEGIN CERTIFICATE-----\n", mode: 0o100644 })
      expect(config.redis?.tls && Redacted.isRedacted(config.redis.tls.ca)).toBe(true)
      expect(warnings).toEqual([expect.stringContaining("/k is readable by other users")])
      const { diagnostics } = yield* Effect.flip(at("no -----BEGIN CERTIFICATE-----"))
      expect(diagnostics.map(({ message }) => message)).toEqual([
        "/c: expected PEM, with a line -----BEGIN …"
      ])
    }))
})

describe("no message quotes a secret", () => {
  const canary = "s3cret-C4nary"

  const shapes: ReadonlyArray<unknown> = [
    canary,
    [canary],
    { [canary]: null },
    { value: canary },
    { file: canary },
    { file: { [canary]: 1 } },
    { file: canary, env: canary },
    { env: canary },
    { env: [canary] },
    { fil: canary }
  ]

  const documents: ReadonlyArray<(shape: unknown) => unknown> = [
    (secret) => ({ upstream: { keys: [{ name: "k", secret }] } }),
    (secret) => ({ upstream: { keys: { name: "k", secret } } }),
    (secret) => ({ upstream: { keys: [{ secret }] } }),
    (secret) => ({ upstream: { keys: [{ name: "k", secrets: secret }] } }),
    (tokens) => ({ clients: [{ name: "c", tokens }] }),
    (token) => ({ clients: [{ name: "c", tokens: [token] }] }),
    (tokens) => ({ admin: { tokens } }),
    (token) => ({ admin: { tokens: [token] } }),
    (url) => ({ redis: { url } }),
    (redis) => ({ redis }),
    (url) => ({ redis: { url, whenUnavailable: "half" } }),
    (nested) => ({ redis: { url: nested }, ...(typeof nested === "object" ? nested : {}) }),
    () => canary,
    () => [canary]
  ]

  /** With another typo these may be valid URLs, which are not secret. */
  const urls: typeof documents = [
    (shape) => ({ redis: { url: `redis://:${JSON.stringify(shape)}@redis` } }),
    () => ({ redis: { url: `redis://:${canary}@redis` } }),
    () => ({ redis: { url: `redis://${canary}@redis` } }),
    () => ({ redis: { url: `http://:${canary}@redis` } }),
    () => ({ upstream: { baseUrls: { data: `https://${canary}:${canary}@example.com` } } }),
    () => ({ jwt: { issuer: "i", audience: "a", jwks: `https://${canary}:${canary}@example.com` } }),
    () => ({ jwt: { issuer: "i", audience: "a", jwks: `https://example.com:${canary}` } }),
    () => ({ upstream: { baseUrls: { data: `https://example.com/?key=${canary}` } } })
  ]

  const outputOf = (input: LoadInput): string =>
    Effect.runSync(
      Effect.match(load(input), {
        onFailure: ({ diagnostics }) =>
          diagnostics.map(formatDiagnostic).join("\n") + JSON.stringify(diagnostics),
        onSuccess: (loaded) =>
          [printConfig(loaded), ...loaded.warnings, JSON.stringify(loaded.config)].join("\n")
      })
    )

  it.prop(
    "in a place where it does not belong",
    [
      FastCheck.constantFrom(...documents, ...urls),
      FastCheck.constantFrom(...shapes),
      FastCheck.boolean()
    ],
    ([document, shape, flow]) => {
      const text = stringify(document(shape), { collectionStyle: flow ? "flow" : "any" })
      const output = outputOf({ text })
      expect(output).not.toContain(canary)
      expect(output).not.toBe("")
    }
  )

  it.prop(
    "in a file with an error anywhere",
    [
      FastCheck.constantFrom(...documents),
      FastCheck.constantFrom(...shapes),
      FastCheck.nat(),
      FastCheck.constantFrom("", "---\n", ..."\n\t\"'[}&*!%|@,\0\\")
    ],
    ([document, shape, where, put]) => {
      const text = stringify(document(shape))
      const at = where % text.length
      // Without @, a user and a password are a host name
      FastCheck.pre(text[at] !== "@")
      expect(outputOf({ text: text.slice(0, at) + put + text.slice(at) })).not.toContain(canary)
      expect(outputOf({ text: text.slice(0, at) + put + text.slice(at + 1) }).replaceAll(/name.*got.*/g, ""))
        .not.toContain(canary)
    }
  )

  it.prop(
    "from a file or a variable with any contents",
    [FastCheck.string(), FastCheck.string(), FastCheck.constantFrom("", "\n", " ", "ü", "x".repeat(5000))],
    ([before, after, more]) => {
      const secret = before + canary + after + more
      const text = stringify({
        upstream: { keys: [{ name: "a", secret: { file: "/a" } }, { name: "b", secret: { env: "B" } }] },
        redis: { url: { env: "R" } }
      })
      const files = { "/a": { text: secret, mode: 0o100666 } }
      expect(outputOf({ text, files, env: { B: secret, R: secret } })).not.toContain(canary)
      expect(outputOf({ text, files, env: { B: canary, R: `redis://:${canary}@redis` } })).not.toContain(
        canary
      )
      const env = { QUARRY_API_KEY: secret, QUARRY_REDIS_URL: secret, QUARRY_BASE_URL: `https://${secret}@x` }
      expect(outputOf({ env })).not.toContain(canary)
    }
  )
})
