/**
 * Fault injection: failures of networks and upstreams, for single requests or by rules.
 *
 * A request sets its fault in the header `x-sandbox-fault`, as directives separated by `;`, for example
 * `status=503;retry-after=2` or `delay=200;truncate`. `SandboxOptions.faults` injects faults by rules.
 */
import { optional } from "@blockquarry/core/InputSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The schema of `FaultKind`. */
export const FaultKind = Schema.Literal(
  "reset",
  "truncate",
  "hang",
  "stall",
  "bad-json",
  "html",
  "empty",
  "null",
  "bom",
  "repeat-cursor",
  "empty-page"
)

/** A change of the response. */
export type FaultKind = typeof FaultKind.Type

const maxDelay = 600_000

/** A fault: a delay, then a response with another status, or the changed response of the operation. */
export const Fault = Schema.Struct({
  /** Milliseconds before the response, at most 600,000. */
  delay: optional(Schema.Int.pipe(Schema.between(0, maxDelay))),
  status: optional(Schema.Int.pipe(Schema.between(200, 599))),
  /** Sent unchanged: seconds, a date, or an invalid value. */
  "retry-after": optional(Schema.String),
  /** The location of a 302 response. */
  redirect: optional(Schema.NonEmptyString),
  /**
   * A change of the response. The operation is applied before.
   *
   * - `reset`: resets the connection before the headers. `truncate`: closes it in the middle of the body.
   * - `hang`, `stall`: sends nothing, or stops in the middle of the body.
   * - `bad-json`: half of the document. `html`: an HTML page with status 200. `empty`: no body. `null`: the JSON value
   *   `null`.
   * - `bom`: a byte order mark before the document.
   * - `repeat-cursor`: a page with the cursor of the request. `empty-page`: a page without records, with a cursor for the
   *   records that it would have.
   */
  kind: optional(FaultKind)
})

export interface Fault extends Schema.Schema.Type<typeof Fault> {}

/** The supported directives. */
export const directives: ReadonlyArray<string> = [
  "status=CODE",
  "retry-after=TEXT",
  "delay=MILLISECONDS",
  "redirect=URL",
  ...FaultKind.literals
]

const decodeFault = Schema.decodeUnknownOption(Fault, { onExcessProperty: "error" })

/** Parses a fault in the format of the header. None if a directive is unknown, invalid or repeated. */
export const parseFault = (text: string): Option.Option<Fault> => {
  const directives = text.split(";").map((part) => part.trim()).filter((part) => part !== "")
  const members = directives.map((directive) => {
    const [, name = "kind", value = directive] = /^([a-z-]+)=(.*)$/s.exec(directive) ?? []
    return [name, name === "status" || name === "delay" ? Number(value) : value] as const
  })
  const fault = Object.fromEntries(members)
  return Object.keys(fault).length === members.length ? decodeFault(fault) : Option.none()
}

/**
 * A rule that injects a fault into matching requests. Without `operation` and `path` it matches all requests.
 */
export interface FaultRule {
  readonly fault: Fault
  /** Matches requests of the operation with this ID. */
  readonly operation?: string
  /** Matches paths that contain this string. */
  readonly path?: string
  /** The number of matching requests before the first fault. Default: 0. */
  readonly skip?: number
  /** Injects the fault into every nth matching request. Default: 1. */
  readonly every?: number
  /** The maximum number of faults. Default: unlimited. */
  readonly count?: number
}

/** The properties of a request that rules match. */
export interface FaultTarget {
  readonly operation: string | null
  readonly path: string
}

const matches = ({ operation, path }: FaultRule, target: FaultTarget): boolean =>
  (operation === undefined || operation === target.operation) &&
  (path === undefined || target.path.includes(path))

/** Returns the fault of the first rule that applies to a request. Rules after it do not count the request. */
export const faultSelector = (rules: ReadonlyArray<FaultRule>) => {
  const states = rules.map((rule) => ({ rule, matched: 0, injected: 0 }))
  return (target: FaultTarget): Fault | undefined => {
    for (const state of states) {
      const { count = Infinity, every = 1, fault, skip = 0 } = state.rule
      if (state.injected >= count || !matches(state.rule, target)) continue
      const turn = ++state.matched - skip
      if (turn <= 0 || turn % every !== 0) continue
      state.injected++
      return fault
    }
    return undefined
  }
}
