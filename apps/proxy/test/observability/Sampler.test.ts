/** Which requests are traced: the variables of OpenTelemetry, and the spans that are exported. */
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as TelemetryRecorder from "../../../../packages/http/test/support/TelemetryRecorder.ts"
import * as Sampler from "../../src/observability/Sampler.ts"
import { sendRequest, start } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const fromEnvironment = (variables: Record<string, string>) =>
  Effect.withConfigProvider(
    Sampler.fromEnvironment,
    ConfigProvider.fromMap(new Map(Object.entries(variables)))
  )

const low = "ffffffffffffffffff00000000000001"
const high = "000000000000000000fffffffffffffe"

describe("the sampler of the environment", () => {
  it.effect.each<readonly [Record<string, string>, ReadonlyArray<boolean>]>([
    // Whether it samples a low and a high trace id without parent, and one whose parent is sampled, or is not.
    [{}, [true, true, true, false]],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, [true, true, true, true]],
    [{ OTEL_TRACES_SAMPLER: "always_off" }, [false, false, false, false]],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" }, [false, true, false, false]],
    [{ OTEL_TRACES_SAMPLER: "traceidratio" }, [true, true, true, true]],
    [{ OTEL_TRACES_SAMPLER: "ParentBased_Always_Off" }, [false, false, true, false]],
    [
      { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" },
      [false, true, true, false]
    ]
  ])(
    "decides as %j says",
    ([variables, decisions]) =>
      Effect.map(fromEnvironment(variables), ({ sampler, warnings }) => {
        expect(warnings).toEqual([])
        expect([sampler(low, null), sampler(high, null), sampler(low, true), sampler(low, false)]).toEqual(
          decisions
        )
      })
  )

  it.effect.each<readonly [Record<string, string>, string]>([
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER: expected always_on, "],
    [
      { OTEL_TRACES_SAMPLER: "PARENTBASED_TRACEIDRATIO", OTEL_TRACES_SAMPLER_ARG: "1.5" },
      "OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1, got \"1.5\""
    ]
  ])(
    "warns about %j, which counts as not set",
    ([variables, warning]) =>
      Effect.map(fromEnvironment(variables), ({ sampler, warnings }) => {
        expect(warnings).toEqual([expect.stringContaining(warning)])
        expect([sampler(low, null), sampler(low, false)]).toEqual([true, false])
      })
  )
})

it.scopedLive("a request that is not sampled exports no span, also of its calls and attempts", () =>
  Effect.gen(function*() {
    const telemetry = TelemetryRecorder.make()
    const { sampler } = yield* fromEnvironment({ OTEL_TRACES_SAMPLER: "parentbased_always_off" })
    const { port } = yield* telemetry.record(start({ tracingEnabled: true, sampler }))
    /** Spans that do not end are not exported. */
    const ended = () => telemetry.spans.filter(({ failure }) => failure !== undefined)
    const path = sampleRequests["tokenPrice"]?.path ?? ""
    const send = (flags: string) =>
      sendRequest(port, path, { headers: { traceparent: `00-${high}-b7ad6b7169203331-${flags}` } })
    yield* sendRequest(port, path)
    yield* send("00")
    expect(ended()).toEqual([])
    yield* send("01")
    expect(ended()).toHaveLength(3)
  }))
