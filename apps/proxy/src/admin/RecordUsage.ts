/** Records completed requests in the access log, the usage statistics, the saved usage and the metrics. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Usage } from "../exchange/AccessLogEntry.ts"
import * as AccessLog from "../observability/AccessLog.ts"
import type { LogSink, LogStyle } from "../observability/Logging.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { ProxyMetrics } from "./ProxyMetrics.ts"
import * as SaveUsage from "./SaveUsage.ts"
import { UsageStats } from "./UsageStats.ts"

export const layer = (
  log: { readonly sink: LogSink; readonly style: LogStyle }
): Layer.Layer<Usage, StoreError, ActiveConfig | ProxyMetrics | UsageStats> =>
  Layer.scoped(
    Usage,
    Effect.map(
      Effect.all([ActiveConfig, ProxyMetrics, SaveUsage.make, UsageStats]),
      ([activeConfig, metrics, saveUsage, usageStats]) => ({
        record: (entry) => {
          usageStats.record(entry)
          metrics.record(entry)
          saveUsage.record(entry)
          if (activeConfig.current().config.log.requests && !AccessLog.isSuccessfulProbe(entry)) {
            log.sink(AccessLog.accessLogLine(entry, log.style))
          }
        },
        recordUse: (request, usage, key, charged) => {
          saveUsage.recordUse(request, usage, key, charged)
          if (charged === null) return
          usageStats.recordLateUsage(request, usage, charged)
          metrics.recordLateUsage(request, usage, charged)
        }
      })
    )
  )
