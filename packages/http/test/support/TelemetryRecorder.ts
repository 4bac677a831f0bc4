/** Records all log lines and spans of a program. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

interface RecordedSpan {
  readonly name: string
  readonly kind: Tracer.SpanKind
  /** The name of the parent span. */
  readonly parent: string | null
  readonly attributes: Map<string, unknown>
  readonly events: Array<readonly [name: string, attributes: unknown]>
  /** The cause of the failure, null after a success, undefined before the end of the span. */
  failure: Cause.Cause<unknown> | null | undefined
}

export interface TelemetryRecorder {
  readonly spans: Array<RecordedSpan>
  /** Each log line as text, and as the structure that exporters receive. */
  readonly logs: Array<{ readonly text: string; readonly structure: unknown }>
  readonly record: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Formats a value with its nested properties. */
export const inspectDeep = (value: unknown): string =>
  inspect(value, { depth: 10, maxStringLength: null, maxArrayLength: null })

export const make = (): TelemetryRecorder => {
  const spans: Array<RecordedSpan> = []
  const logs: TelemetryRecorder["logs"] = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const span: RecordedSpan = {
        name,
        kind,
        parent: Option.getOrNull(
          Option.flatMap(
            parent,
            (parentSpan) => parentSpan._tag === "Span" ? Option.some(parentSpan.name) : Option.none()
          )
        ),
        attributes: new Map(),
        events: [],
        failure: undefined
      }
      spans.push(span)
      return {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes: span.attributes,
        links,
        sampled: true,
        kind,
        end: (_, exit) => {
          span.failure = Exit.isFailure(exit) ? exit.cause : null
        },
        attribute: (key, value) => {
          span.attributes.set(key, value)
        },
        event: (name, _, attributes) => {
          span.events.push([name, attributes])
        },
        addLinks: () => {}
      }
    },
    context: (run) => run()
  })
  const logger = Logger.make((options) => {
    logs.push({
      text: `${Logger.stringLogger.log(options)}\n${Logger.logfmtLogger.log(options)}\n${
        Logger.jsonLogger.log(options)
      }`,
      structure: Logger.structuredLogger.log(options)
    })
  })
  return {
    spans,
    logs,
    record: (effect) =>
      effect.pipe(
        Logger.withMinimumLogLevel(LogLevel.All),
        Effect.provide(Logger.add(logger)),
        Effect.withTracer(tracer)
      )
  }
}
