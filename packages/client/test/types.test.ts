/** Options are written by hand, with the names of those of `@blockquarry/http`. Other types follow from it and from `@blockquarry/core`. */
import type * as Client from "@blockquarry/client"
import type {
  Fault,
  SandboxExamples,
  SandboxOptions as ClientSandboxOptions
} from "@blockquarry/client/sandbox"
import type * as HttpApiKey from "@blockquarry/http/ApiOptions"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import type { ListCallOptions } from "@blockquarry/http/Pagination"
import type { RateLimit } from "@blockquarry/http/RateLimit"
import type { RetrySchedule } from "@blockquarry/http/RetryPolicy"
import type { Ledger } from "@blockquarry/sandbox/Ledger"
import type { Fault as SandboxFault, SandboxOptions } from "@blockquarry/sandbox/Sandbox"
import type * as Duration from "effect/Duration"
import { describe, expectTypeOf, it } from "vitest"
import type { Plain } from "../src/internal/Plain.ts"

/** Flattens intersections. */
type Flat<T> = T extends object ? { [Name in keyof T]: T[Name] } : never

it("the JSON form of a value has strings for amounts and times", () => {
  expectTypeOf<
    Client.Encoded<{
      amount: bigint | null
      time: Date
      chain: Client.OpenEnum<"eth">
      json: Client.JsonValue
      ids?: ReadonlyArray<bigint>
    }>
  >().toEqualTypeOf<{
    readonly amount: string | null
    readonly time: string
    readonly chain: Client.OpenEnum<"eth">
    readonly json: Client.JsonValue
    readonly ids?: ReadonlyArray<string>
  }>()
})

describe("options", () => {
  it("are those of the layers", () => {
    type OfTheClient = "baseUrls" | "fetch" | "signal"
    type OfLayersAlone = "apiKeyTtl" | "uncacheable"
    expectTypeOf<Exclude<keyof Client.ClientOptions, OfTheClient>>()
      .toEqualTypeOf<Exclude<keyof ApiOptions, OfLayersAlone>>()
    expectTypeOf<Exclude<keyof Client.ListOptions, "signal">>().toEqualTypeOf<keyof ListCallOptions>()
    expectTypeOf<keyof Client.RateLimitOptions>().toEqualTypeOf<keyof RateLimit>()
    expectTypeOf<keyof Client.LabeledApiKey>().toEqualTypeOf<keyof HttpApiKey.ApiKey>()
    expectTypeOf<Client.Duration>().toExtend<Duration.DurationInput>()
    type Policies = "timeouts" | "retry" | "breaker" | "concurrency" | "cache"
    expectTypeOf<{ [P in Policies]: keyof NonNullable<Client.ClientOptions[P]> }>()
      .toEqualTypeOf<{ [P in Policies]: keyof Exclude<ApiOptions[P], RetrySchedule | undefined> }>()
  })

  it("of the sandbox are a part of those of its package", () => {
    expectTypeOf<ClientSandboxOptions>().toExtend<SandboxOptions>()
    expectTypeOf<Fault>().toEqualTypeOf<Flat<SandboxFault>>()
    expectTypeOf<Flat<SandboxExamples>>().toEqualTypeOf<Plain<Ledger["examples"]>>()
  })
})
