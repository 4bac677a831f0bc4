/** The clients as a command uses them. Loaded when a command runs: help needs none of it. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import type * as RateLimit from "@blockquarry/http/RateLimit"
import * as Settings from "@blockquarry/http/Settings"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as Timeouts from "@blockquarry/http/Timeouts"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiClients } from "./ApiClients.ts"

/**
 * From configuration, under the rate limit that is set, or else `rateLimit`. `timeout`, where it is given, stands for
 * the limit of a call, and gives a slow service's attempts more time too: a quarter of it each.
 */
export const layer = (
  timeout: Duration.Duration | null,
  rateLimit: RateLimit.RateLimit
): Layer.Layer<ApiClients, ConfigError, HttpClient> => {
  const policies = timeout === null ? {} : {
    timeouts: {
      attempt: Duration.max(Timeouts.standard.attempt, Duration.times(timeout, 0.25)),
      call: timeout
    }
  }
  const apiClients = Layer.effect(
    ApiClients,
    Effect.all({ data: DataApi.DataApi, streams: StreamsApi.StreamsApi, ledger: LedgerApi.LedgerApi })
  )
  const apis = Effect.map(
    Effect.all([Settings.data, Settings.streams, Settings.ledger]),
    ([data, streams, ledger]) =>
      Layer.mergeAll(
        DataApi.layer({ ...data, rateLimit: data.rateLimit ?? rateLimit, ...policies }),
        StreamsApi.layer({ ...streams, rateLimit: streams.rateLimit ?? rateLimit, ...policies }),
        LedgerApi.layer({ ...ledger, rateLimit: ledger.rateLimit ?? rateLimit, ...policies })
      )
  )
  return Layer.provide(apiClients, Layer.unwrapEffect(apis))
}
