/** `--verbose`: what the client logs, as lines for people. */
import { callSpan } from "@blockquarry/http/Telemetry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { safe } from "./render/Safe.ts"
import { type ScreenService, styled } from "./Screen.ts"

/** Every line of a log goes to the screen's notes; without `isVerbose` only what somebody has to know. */
export const to = (screen: ScreenService, isVerbose: boolean) => {
  const numberOf = numbering()
  const logger = Logger.make<unknown, void>(({ annotations, context, date, message }) => {
    const said = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const line = worded(said, new Map(HashMap.map(annotations, String)))
    const number = numberOf(callOf(context))
    const text = safe([date.toISOString().slice(11, 23), ...number, line].join(" "))
    Effect.runSync(screen.note(styled(screen.err, "dim", text)))
  })
  const layer = Layer.merge(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(isVerbose ? LogLevel.Debug : LogLevel.Warning)
  )
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      // What a fiber of a stream fails with is reported by whoever reads the stream
      Effect.withUnhandledErrorLogLevel(Option.none()),
      Effect.provide(layer)
    )
}

/** A request as it is sent, and what came of it; any other line with its annotations. */
const worded = (said: string, facts: ReadonlyMap<string, string>): string => {
  const url = facts.get("url")
  if (url !== undefined) return `→ ${facts.get("method") ?? ""} ${url}`
  const outcome = facts.get("outcome")
  if (outcome === undefined) return [said, ...[...facts].map(([name, value]) => `${name}=${value}`)].join(" ")
  const attempt = facts.get("attempt") ?? "1"
  const which = attempt === "1" ? "" : ` (attempt ${attempt})`
  return `← ${outcome}${which}${said.replace(/^attempt ended/, "")}`
}

/** The call that a line belongs to: the span of an attempt is inside that of its call. */
const callOf = (context: FiberRefs.FiberRefs): string | undefined => {
  const environment = FiberRefs.getOrDefault(context, FiberRef.currentContext)
  const innermost = Option.getOrUndefined(Context.getOption(environment, Tracer.ParentSpan))
  return innermost?._tag === "Span" ? outermost(innermost).spanId : undefined
}

const outermost = (span: Tracer.Span): Tracer.Span => {
  const parent = Option.getOrUndefined(span.parent)
  return parent?._tag === "Span" && parent.name.startsWith(callSpan("")) ? outermost(parent) : span
}

/** Calls by number: several may be under way at once, and an answer says of itself only what its status is. */
const numbering = () => {
  const numbers = new Map<string, number>()
  return (call: string | undefined): ReadonlyArray<string> => {
    if (call === undefined) return []
    const number = numbers.get(call) ?? numbers.size + 1
    numbers.set(call, number)
    return [`#${number}`]
  }
}
