/**
 * Reading a request's target as it stood in the request line.
 *
 * No URL parser comes near it: parsers collapse `..`, even encoded, and turn `\` into `/`, so that what was looked
 * at and what is sent could be two paths. Here a target is plain steps and plain parameters, or it is refused.
 */
import type { WireRequest } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"
import * as Failure from "./Failure.ts"

export interface RequestTarget {
  /** As it came: percent-encoded, every step of it fit to be decoded. */
  readonly path: string
  readonly query: WireRequest["query"]
}

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const control = /[\u0000-\u001f\u007f-\u009f]/

const malformed = (problem: string) =>
  Either.left(Failure.make("malformed-target", `the request's target ${problem}`))

/** Reads the target of a request line. */
export const read = (target: string): Either.Either<RequestTarget, Failure.Failure> => {
  if (!target.startsWith("/")) return malformed("must begin with /")
  if (/[^!-~]|[\\#]/.test(target)) return malformed("holds a character that must be percent-encoded")
  const end = target.indexOf("?")
  const path = end < 0 ? target : target.slice(0, end)
  const problem = path.split("/").slice(1).map(problemOfStep).find((found) => found !== undefined)
  if (problem !== undefined) return malformed(problem)
  return Either.flatMap(
    readQuery(end < 0 ? "" : target.slice(end + 1)),
    (query) => holdsToken(path, query) ? Either.left(tokenInTarget) : Either.right({ path, query })
  )
}

/** What is unknown is passed on, but no token: it would be sent to the service, and stand in logs on its way. */
const holdsToken = (path: string, query: WireRequest["query"]): boolean =>
  token.test(decode(path) ?? "") ||
  query.some(([name, value]) => nameOfToken.test(name) || token.test(name) || token.test(value))

const nameOfToken = /^(x[-_])?(api[-_]?key|(access[-_]?|auth[-_]?)?token|authorization)$/i

/** As they are made here, whatever they are called. */
const token = /qp_[\w-]{43}/

const tokenInTarget = Failure.make(
  "token-in-target",
  "send the token as the header X-API-Key, never in the address; have another one made, for this one stands in logs by now"
)

const problemOfStep = (step: string): string | undefined => {
  const text = decode(step)
  if (text === undefined) return "has a step that is not percent-encoded UTF-8"
  if (text === "." || text === "..") return "has a step . or .., which is never followed"
  if (/[/\\]/.test(text) || control.test(text)) {
    return "has a step that holds a slash, a backslash or a control character"
  }
  return undefined
}

const readQuery = (text: string): Either.Either<WireRequest["query"], Failure.Failure> => {
  const query: Array<readonly [string, string]> = []
  for (const pair of text.split("&")) {
    if (pair === "") continue
    const middle = pair.indexOf("=")
    const name = decode(plusAsSpace(middle < 0 ? pair : pair.slice(0, middle)))
    const value = decode(plusAsSpace(middle < 0 ? "" : pair.slice(middle + 1)))
    if (name === undefined || value === undefined) {
      return malformed("has a query that is not percent-encoded UTF-8")
    }
    query.push([name, value])
  }
  return Either.right(query)
}

const plusAsSpace = (text: string): string => text.replaceAll("+", "%20")

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
