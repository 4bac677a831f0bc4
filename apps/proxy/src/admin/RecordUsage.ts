/** Records completed requests in the access log, the usage statistics and the metrics. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Usage } from "../exchange/AccessLogEntry.ts"
import * as AccessLog from "../observability/AccessLog.ts"
import type { LogSink, LogStyle } from "../observability/Logging.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { ProxyMetrics } from "./ProxyMetrics.ts"
import { UsageStats } from "./UsageStats.ts"

export const layer = (
  log: { readonly sink: LogSink; readonly style: LogStyle }
): Layer.Layer<Usage, never, ActiveConfig | ProxyMetrics | UsageStats> =>
  Layer.effect(
    Usage,
    Effect.map(
      Effect.all([ActiveConfig, ProxyMetrics, UsageStats]),
      ([activeConfig, metrics, usageStats]) => ({
        record: (entry) => {
          usageStats.record(entry)
          metrics.record(entry)
          if (activeConfig.current().config.log.requests && !AccessLog.isSuccessfulProbe(entry)) {
            log.sink(AccessLog.accessLogLine(entry, log.style))
          }
        },
        recordLate: (request, usage, charged) => {
          usageStats.recordLateUsage(request, usage, charged)
          metrics.recordLateUsage(request, usage, charged)
        }
      })
    )
  )
