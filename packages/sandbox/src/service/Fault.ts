/**
 * Faults on demand: what a network and a service really do wrong, one request at a time.
 *
 * A request asks for one in the header `x-sandbox-fault`, as directives parted by `;`, such as
 * `status=503;retry-after=2` or `delay=200;reset-body`. A process asks with rules.
 *
 * @since 0.1.0
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/**
 * What spoils an answer. The operation has taken effect before that.
 *
 * - `reset`, `reset-body`: the connection is reset before the headers, or in the middle of the body.
 * - `truncate`: the body is shorter than its content-length. `gzip-truncated`: compressed, and cut off.
 * - `hang`, `stall`: nothing arrives, or nothing more in the middle of the body.
 * - `bad-json`: half a document. `html`: a page of HTML with status 200. `empty`: no body. `null`: the JSON
 *   `null`.
 * - `bom`: a byte order mark before the document.
 * - `repeat-cursor`: a list gives the cursor that it was asked with. `empty-page`: a page without records,
 *   whose cursor goes on where this page would have.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultKind = Schema.Literal(
  "reset",
  "reset-body",
  "truncate",
  "gzip-truncated",
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

/**
 * @since 0.1.0
 * @category models
 */
export type FaultKind = typeof FaultKind.Type

const maxDelay = 600_000

/**
 * A fault: a delay in milliseconds, then an answer of another status instead of the operation's, or the
 * operation's own answer, spoiled.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fault = Schema.Struct({
  delay: Schema.optionalWith(Schema.Int.pipe(Schema.between(0, maxDelay)), { exact: true }),
  status: Schema.optionalWith(Schema.Int.pipe(Schema.between(200, 599)), { exact: true }),
  /** Seconds, a date, or garbage: it is sent as it is. */
  "retry-after": Schema.optionalWith(Schema.String, { exact: true }),
  /** Where a 302 points to. */
  redirect: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  kind: Schema.optionalWith(FaultKind, { exact: true })
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Fault extends Schema.Schema.Type<typeof Fault> {}

/**
 * The directives that a fault is written with.
 *
 * @since 0.1.0
 * @category constants
 */
export const directives: ReadonlyArray<string> = [
  "status=CODE",
  "retry-after=TEXT",
  "delay=MILLISECONDS",
  "redirect=URL",
  ...FaultKind.literals
]

const isFaultKind = Schema.is(FaultKind)

/** The members that a directive stands for, or undefined for an unknown one. */
const parseDirective = (directive: string): Readonly<Record<string, unknown>> | undefined => {
  if (isFaultKind(directive)) return { kind: directive }
  const [, name = "", value = ""] = /^([a-z-]+)=(.*)$/s.exec(directive) ?? []
  switch (name) {
    case "status":
    case "delay":
      return /^\d{1,6}$/.test(value) ? { [name]: Number(value) } : undefined
    case "retry-after":
    case "redirect":
      return { [name]: value }
    default:
      return undefined
  }
}

const parseDirectives = (text: string, ast: ParseResult.Type["ast"]) => {
  const members: Record<string, unknown> = {}
  for (const directive of text.split(";").map((part) => part.trim()).filter((part) => part !== "")) {
    const read = parseDirective(directive)
    const fail = (problem: string) =>
      ParseResult.fail(new ParseResult.Type(ast, text, `${problem}: ${directive}`))
    if (read === undefined) return fail("unknown fault")
    if (Object.keys(read).some((name) => Object.hasOwn(members, name))) return fail("one fault too many")
    Object.assign(members, read)
  }
  return ParseResult.succeed(members)
}

/**
 * A fault as the header writes it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultText: Schema.Schema<Fault, string> = Schema.transformOrFail(Schema.String, Schema.Unknown, {
  strict: true,
  decode: (text, _, ast) => parseDirectives(text, ast),
  encode: (fault) =>
    ParseResult.succeed(
      Object.entries(Object(fault)).map(([name, value]) => name === "kind" ? value : `${name}=${value}`)
        .join(";")
    )
}).pipe(Schema.compose(Fault, { strict: false }))

/**
 * The fault of a process: which requests it meets. Without `operation` and `path` it meets all.
 *
 * @since 0.1.0
 * @category models
 */
export interface FaultRule {
  readonly fault: Fault
  /** The id of an operation. */
  readonly operation?: string
  /** A piece of the path. */
  readonly path?: string
  /** How many matching requests are spared first; default 0. */
  readonly skip?: number
  /** Every how many matching requests; default 1. */
  readonly every?: number
  /** How often at most; default always. */
  readonly count?: number
}

/** A rule and what it has done so far. */
export interface RuleState {
  readonly rule: FaultRule
  readonly matched: number
  readonly injected: number
}

/** What rules look at. */
export interface FaultTarget {
  readonly operation: string | null
  readonly path: string
}

const matches = ({ operation, path }: FaultRule, target: FaultTarget): boolean =>
  (operation === undefined || operation === target.operation) &&
  (path === undefined || target.path.includes(path))

/**
 * The fault that a request meets: the first rule whose turn it is. Rules behind it do not see the request.
 */
export const applyFaultRules = (
  rules: ReadonlyArray<RuleState>,
  target: FaultTarget
): readonly [Fault | undefined, ReadonlyArray<RuleState>] => {
  let faultToInject: Fault | undefined
  const next = rules.map((state) => {
    const { injected: applied, matched, rule } = state
    const { count = Infinity, every = 1, fault, skip = 0 } = rule
    if (faultToInject !== undefined || !matches(rule, target)) return state
    const isTurn = matched >= skip && (matched - skip + 1) % every === 0 && applied < count
    if (isTurn) faultToInject = fault
    return { rule, matched: matched + 1, injected: isTurn ? applied + 1 : applied }
  })
  return [faultToInject, next.filter(({ injected: applied, rule }) => applied < (rule.count ?? Infinity))]
}
