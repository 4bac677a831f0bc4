/** Sees everything that a program lets out: every log line and every span. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

interface Span {
  readonly name: string
  readonly kind: Tracer.SpanKind
  /** The name of the span around it. */
  readonly parent: string | null
  readonly attributes: Map<string, unknown>
  readonly events: Array<readonly [name: string, attributes: unknown]>
  /** The cause of its failure, null where it succeeded: what exporters take of an exit. */
  failure: Cause.Cause<unknown> | null | undefined
}

export interface Witness {
  readonly spans: Array<Span>
  /** Each line as text, and as the structure that exporters get. */
  readonly logs: Array<{ readonly text: string; readonly structure: unknown }>
  readonly of: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** All that can be seen of a value. */
export const seen = (value: unknown): string =>
  inspect(value, { depth: 10, maxStringLength: null, maxArrayLength: null })

export const make = (): Witness => {
  const spans: Array<Span> = []
  const logs: Witness["logs"] = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const span: Span = {
        name,
        kind,
        parent: Option.getOrNull(
          Option.flatMap(parent, (one) => one._tag === "Span" ? Option.some(one.name) : Option.none())
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
    of: (effect) =>
      effect.pipe(
        Logger.withMinimumLogLevel(LogLevel.All),
        Effect.provide(Logger.add(logger)),
        Effect.withTracer(tracer)
      )
  }
}
