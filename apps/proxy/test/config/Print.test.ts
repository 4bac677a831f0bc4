/** A printed configuration loads again. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { parse, stringify } from "yaml"
import { printConfig } from "../../src/config/Print.ts"
import * as Cases from "../golden-config/cases.ts"
import { load, toPlain } from "./support.ts"

/** Sets every key, most of them to another value than the default. */
const whole = Cases.print.get("full")?.[0]?.files["/etc/quarry-proxy.yaml"]
const { clients, ...sections } = parse(typeof whole === "object" ? String(whole?.text) : "")

const documents = FastCheck.subarray(Object.entries<unknown>(sections))
  .map((entries) => ({ ...Object.fromEntries(entries), clients }))

const { constantFrom } = FastCheck

const variables = FastCheck.record({
  QUARRY_PROXY_PORT: constantFrom("0", "81"),
  QUARRY_PROXY_HOST: constantFrom("localhost", "127.0.0.2"),
  QUARRY_PROXY_ADMIN: constantFrom("off", "[::1]:0", "localhost:9002"),
  QUARRY_SANDBOX: constantFrom("1", "0"),
  QUARRY_BASE_URL: constantFrom("https://env.example.com", ""),
  QUARRY_API_KEY: constantFrom("key-of-the-environment", ""),
  QUARRY_RATE_LIMIT: constantFrom("7/s", "none"),
  QUARRY_REDIS_URL: constantFrom("redis://:password@redis")
}, { requiredKeys: [] })

const secrets = { SPARE: "secret-of-the-service" }
const { files } = Cases.print.get("full")?.[0] ?? { files: {} }

it.prop(
  "prints a file that loads as the same configuration, with and without the original variables",
  [documents, variables],
  ([document, variables]) => {
    const env = { ...variables, ...secrets }
    const first = Effect.runSync(load({ text: stringify(document), env, files }))
    const text = printConfig(first)
    const again = Effect.runSync(load({ text, env, files }))
    expect(toPlain(again.config)).toEqual(toPlain(first.config))
    expect(printConfig(again).replaceAll(/ {2}# .*/g, "")).toBe(text.replaceAll(/ {2}# .*/g, ""))
    const { QUARRY_API_KEY = "", QUARRY_REDIS_URL = "" } = variables
    const bare = Effect.runSync(Effect.option(load({ text, env: { ...secrets, QUARRY_API_KEY }, files })))
    // Only the variables with secrets are still needed
    expect(bare._tag).toBe(QUARRY_REDIS_URL === "" ? "Some" : "None")
    if (bare._tag === "Some") expect(toPlain(bare.value.config)).toEqual(toPlain(first.config))
  }
)
