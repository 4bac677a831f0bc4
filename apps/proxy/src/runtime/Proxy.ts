/** The services of a proxy, as one layer: it listens until its scope closes. */
import * as Engine from "@blockquarry/http/gateway/Engine"
import type * as HttpServer from "@blockquarry/server/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AdminServer from "../admin/AdminServer.ts"
import * as Fleet from "../admin/Fleet.ts"
import * as ProxyMetrics from "../admin/ProxyMetrics.ts"
import * as RecordUsage from "../admin/RecordUsage.ts"
import * as UsageStats from "../admin/UsageStats.ts"
import * as Jwt from "../auth/Jwt.ts"
import * as Overrides from "../auth/Overrides.ts"
import type { Config } from "../config/Config.ts"
import * as BuiltInPages from "../docs/BuiltInPages.ts"
import type * as Logging from "../observability/Logging.ts"
import type * as Sampler from "../observability/Sampler.ts"
import * as ActiveConfig from "../pipeline/ActiveConfig.ts"
import * as MainServer from "../pipeline/MainServer.ts"
import * as Quotas from "../quota/Quotas.ts"

export interface ProxyOptions
  extends AdminServer.AdminOptions, Pick<HttpServer.ServerOptions, "shutdownDelay">
{
  readonly config: Config
  /** Decides which requests are traced; null if no spans are exported. */
  readonly sampler: Sampler.Sampler | null
  /** Receives the lines of the access log. */
  readonly log: { readonly sink: Logging.LogSink; readonly style: Logging.LogStyle }
}

/** The admin listener starts before the main listener and stops after it, so that the shutdown can be observed. */
const listening = Layer.scopedDiscard(Effect.gen(function*() {
  const adminServer = yield* AdminServer.AdminServer
  const mainServer = yield* MainServer.MainServer
  if (adminServer !== null) yield* adminServer.listen
  yield* mainServer.listen
}))

/** Each layer uses those after it, and closes before them: the last requests still need the upstream. */
export const layer = (options: ProxyOptions) =>
  listening.pipe(
    Layer.provideMerge(AdminServer.layer(options)),
    Layer.provideMerge(Fleet.layer(options.version)),
    Layer.provideMerge(MainServer.layer(options)),
    Layer.provideMerge(RecordUsage.layer(options.log)),
    Layer.provideMerge(Layer.merge(UsageStats.layer, ProxyMetrics.layer(options.version))),
    Layer.provideMerge(BuiltInPages.layer),
    Layer.provideMerge(Jwt.layer(options.config)),
    Layer.provideMerge(Overrides.layer(options.config.redis?.whenUnavailable === "open")),
    Layer.provideMerge(ActiveConfig.layer(options.config)),
    Layer.provideMerge(Quotas.layer),
    Layer.provideMerge(Engine.layerWithStores)
  )
