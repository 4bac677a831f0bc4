/**
 * Exports spans, metrics and the log (without the access log) to an OpenTelemetry collector, if the standard environment
 * variables configure one. The exporter is loaded on demand.
 */
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const variable = (name: string): Config.Config<string> => Config.withDefault(Config.string(name), "")

const settings = Config.all({
  endpoint: variable("OTEL_EXPORTER_OTLP_ENDPOINT"),
  headers: variable("OTEL_EXPORTER_OTLP_HEADERS"),
  name: variable("OTEL_SERVICE_NAME"),
  attributes: variable("OTEL_RESOURCE_ATTRIBUTES")
})

/** Parses `name=value,name=value`, percent-encoded, as a query that commas separate. */
const parseKeyValues = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(text.replace(/[&+]/g, encodeURIComponent).replaceAll(",", "&"))]
      .map(([name, value]) => [name.trim(), value.trim()])
  )

/** Whether a collector is configured; without one no spans are created. Fails with a message if the endpoint is invalid. */
export const isConfigured: Effect.Effect<boolean, string> = Effect.flatMap(
  Effect.orDie(settings),
  ({ endpoint }) => {
    if (endpoint === "") return Effect.succeed(false)
    const protocol = URL.canParse(endpoint) ? new URL(endpoint).protocol : ""
    return protocol === "http:" || protocol === "https:"
      ? Effect.succeed(true)
      : Effect.fail(
        "OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL, for example http://localhost:4318"
      )
  }
)

/** Exports with a separate HTTP client, because the upstream client may be the sandbox. */
export const layer = (version: string): Layer.Layer<never, ConfigError> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const { attributes, endpoint, headers, name } = yield* Effect.orDie(settings)
    if (endpoint === "") return Layer.empty
    const [Otlp, UndiciTransport] = yield* Effect.promise(() =>
      Promise.all([import("@effect/opentelemetry/Otlp"), import("@blockquarry/http/UndiciTransport")])
    )
    return Layer.provide(
      Otlp.layerJson({
        baseUrl: endpoint,
        // An unavailable collector must not delay the end of the process.
        shutdownTimeout: "1 second",
        headers: parseKeyValues(headers),
        resource: {
          serviceName: name === "" ? "quarry-proxy" : name,
          serviceVersion: version,
          attributes: parseKeyValues(attributes)
        }
      }),
      UndiciTransport.layer
    )
  }))
