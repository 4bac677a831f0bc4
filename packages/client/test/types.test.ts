/** The types of this package are those of `@blockquarry/core` and `@blockquarry/http` without types of Effect. */
import type * as Client from "@blockquarry/client"
import type {
  Fault,
  SandboxExamples,
  SandboxOptions as ClientSandboxOptions
} from "@blockquarry/client/sandbox"
import type { ChainId, ChainInput, ChainName } from "@blockquarry/core/Chain"
import type { OperationId } from "@blockquarry/core/Operations"
import type * as HttpApiKey from "@blockquarry/http/ApiOptions"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import type { DataApiService } from "@blockquarry/http/DataApi"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import type { ListCallOptions } from "@blockquarry/http/Pagination"
import type { RateLimit } from "@blockquarry/http/RateLimit"
import type { RetrySchedule } from "@blockquarry/http/RetryPolicy"
import type { StreamsApiService } from "@blockquarry/http/StreamsApi"
import type { Ledger } from "@blockquarry/sandbox/Ledger"
import type { Fault as SandboxFault, SandboxOptions } from "@blockquarry/sandbox/Sandbox"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { describe, expectTypeOf, it } from "vitest"
import type { Plain } from "../src/internal/Plain.ts"

type Apis = DataApiService & StreamsApiService & LedgerApiService

type Input<Function> = Function extends (input: infer In, ...rest: ReadonlyArray<never>) => unknown ? In
  : never

/** Flattens intersections. */
type Flat<T> = T extends object ? { [Name in keyof T]: T[Name] } : never

type Success<Function> = Function extends (...args: never) => Effect.Effect<infer A, unknown> ? A : never

describe("the client", () => {
  it("has every operation, `request`, and nothing else", () => {
    expectTypeOf<Exclude<keyof Client.Client, "close" | "request" | symbol>>().toEqualTypeOf<OperationId>()
    expectTypeOf<Client.OperationId>().toEqualTypeOf<OperationId>()
  })

  it("has the inputs of the layers", () => {
    type Inputs<Api> = { [Id in OperationId]: Id extends keyof Api ? Input<Api[Id]> : never }
    type OfClient = { [Id in OperationId]: Flat<Inputs<Client.Client>[Id]> }
    type OfLayers = { [Id in OperationId]: Flat<Inputs<Apis>[Id]> }
    expectTypeOf<OfClient>().toEqualTypeOf<OfLayers>()
  })

  it("has the plain outputs of the layers", () => {
    type OfClient = { [Id in OperationId]: Awaited<ReturnType<Client.Client[Id]>> }
    type OfLayers = { [Id in OperationId]: Plain<Success<Apis[Id]>> }
    expectTypeOf<OfClient>().branded.toEqualTypeOf<OfLayers>()
  })

  it("has the plain records of the layers", () => {
    type Lists = {
      [Id in OperationId]: Client.Client[Id] extends { items: unknown } ? Id : never
    }[OperationId]
    type LayerLists = { [Id in OperationId]: Apis[Id] extends { items: unknown } ? Id : never }[OperationId]
    expectTypeOf<Lists>().toEqualTypeOf<LayerLists>()
    type OfClient = {
      [Id in Lists]: ReturnType<Client.Client[Id]["items"]> extends AsyncIterable<infer A> ? A : never
    }
    type OfLayers = {
      [Id in Lists]: ReturnType<Apis[Id]["items"]> extends Stream.Stream<infer A, infer _> ? Plain<A> : never
    }
    expectTypeOf<OfClient>().branded.toEqualTypeOf<OfLayers>()
  })

  it("names the chains of the operations", () => {
    expectTypeOf<Client.ChainName>().toEqualTypeOf<ChainName>()
    expectTypeOf<Client.ChainId>().toEqualTypeOf<ChainId>()
    expectTypeOf<Client.Chain>().toEqualTypeOf<ChainInput>()
  })
})

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
