/** Decides which requests are traced, as `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` of OpenTelemetry say. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"

export type Sampler = (traceId: string, parentSampled: boolean | null) => boolean

const alwaysOn: Sampler = () => true

/**
 * Traces a share of all traces. The decision depends on the trace id only, so that all services with the same share trace the
 * same requests: it compares the leading 52 of the 56 bits that are random in every trace id.
 */
const traceIdRatio = (ratio: number): Sampler => {
  const threshold = (1 - ratio) * 2 ** 52
  return (traceId) => Number.parseInt(traceId.slice(-14, -1), 16) >= threshold
}

/** Does as the client does. `root` decides on requests without trace context. */
const parentBased = (root: Sampler): Sampler => (traceId, parentSampled) =>
  parentSampled ?? root(traceId, parentSampled)

const samplers: ReadonlyMap<string, (ratio: number) => Sampler> = new Map([
  ["always_on", () => alwaysOn],
  ["always_off", () => () => false],
  ["traceidratio", traceIdRatio],
  ["parentbased_always_on", () => parentBased(alwaysOn)],
  ["parentbased_always_off", () => parentBased(() => false)],
  ["parentbased_traceidratio", (ratio) => parentBased(traceIdRatio(ratio))]
])

/** The default of OpenTelemetry, `parentbased_always_on`. */
export const standard: Sampler = parentBased(alwaysOn)

const variable = (name: string) =>
  Config.map(Config.withDefault(Config.string(name), ""), (text) => text.trim())

/** Returns the sampler of the environment, and warnings. As OpenTelemetry requires, invalid values count as not set. */
export const fromEnvironment = Effect.gen(function*() {
  const name = yield* variable("OTEL_TRACES_SAMPLER")
  const argument = yield* variable("OTEL_TRACES_SAMPLER_ARG")
  const make = samplers.get(name.toLowerCase())
  const ratio = argument === "" ? 1 : Number(argument)
  const isRatio = ratio >= 0 && ratio <= 1
  const warnings: Array<string> = []
  if (make === undefined && name !== "") {
    const expected = [...samplers.keys()].join(", ")
    warnings.push(
      `OTEL_TRACES_SAMPLER: expected ${expected}, got ${JSON.stringify(name)}; using parentbased_always_on`
    )
  }
  if (name.toLowerCase().endsWith("traceidratio") && !isRatio) {
    warnings.push(
      `OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1, got ${JSON.stringify(argument)}; using 1`
    )
  }
  return { sampler: make?.(isRatio ? ratio : 1) ?? standard, warnings }
}).pipe(Effect.orDie)
