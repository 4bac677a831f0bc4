/** Pass-through: requests that no operation describes. Decides which are forwarded, for whom, and by which rule. */
import { type AnyOperation, maxCost, type Method, pathPrefix } from "@blockquarry/core/Operation"
import { MaxAge, NoStore } from "@blockquarry/core/Ttl"
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config, PassThroughRule } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { RequestTarget } from "./RequestTarget.ts"
import * as Router from "./Router.ts"

/** How a path is forwarded: as an operation whose description knows little. */
export interface PassThrough {
  readonly operation: AnyOperation
  /** The path pattern of the rule, for the log. */
  readonly route: string
  readonly upstreamName: UpstreamName
  readonly retry: boolean
}

/** The operation of requests without a rule, in metrics and the log. */
const other = "other"

/** The paths of reads without a rule. */
const readsPrefix = `${pathPrefix.data}/`

export type PassThroughRules = ReturnType<typeof make>

export const make = ({ passthrough }: Pick<Config, "passthrough">) => {
  const rules = passthrough.rules.map((rule) => ({
    rule,
    pattern: patternOf(rule.path),
    passThrough: {
      operation: operationOf(rule.name, rule),
      route: rule.path,
      upstreamName: rule.api,
      retry: rule.retry
    }
  }))
  const read: PassThrough = {
    operation: operationOf(other, {
      api: "data",
      method: "GET",
      cost: maxCost,
      cacheTtl: null,
      retry: false
    }),
    route: `${readsPrefix}*`,
    upstreamName: "data",
    retry: false
  }
  /** Returns how a request of a client is forwarded. The path of an operation never is, in any spelling. */
  return (
    method: string,
    path: string,
    client: AuthenticatedClient
  ): Either.Either<PassThrough, ProxyError.ProxyError> => {
    const segments = path.split("/").slice(1).map(decodeURIComponent)
    const lowerCase = segments.map((segment) => segment.toLowerCase())
    if (
      segments.some((segment) => segment === "" || ambiguous.test(segment)) ||
      Router.findRoute(`/${lowerCase.map(encodeURIComponent).join("/")}`) !== undefined
    ) return refused
    const sent = method === "HEAD" ? "GET" : method
    const decoded = `/${segments.join("/")}`
    const found = rules.find(({ pattern, rule }) =>
      rule.method === sent && pattern.test(decoded) &&
      (rule.clients.length === 0 ? client.readsAll : rule.clients.includes(client.name))
    )
    if (found !== undefined) return Either.right(found.passThrough)
    return passthrough.default === "reads" && sent === "GET" && path.startsWith(readsPrefix) &&
        client.readsAll &&
        !lowerCase.some((segment) => triggers.has(segment))
      ? Either.right(read)
      : refused
  }
}

/** What an upstream may read as the end of a path, decode again, or ignore. */
const ambiguous = /[?#%;"'<>{}|^`\s]/

/** Segments of paths that make the upstream work. */
const triggers: ReadonlySet<string> = new Set(["resync", "sync"])

/** Matches decoded paths: `:name` is one segment, and `*` at the end is any rest. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${
      path.split("/").map((segment) =>
        segment.startsWith(":")
          ? "[^/]+"
          : segment === "*"
          ? ".+"
          : segment.replace(/[^\w-]/g, String.raw`\$&`)
      )
        .join("/")
    }$`,
    "u"
  )

type OperationRule = Pick<PassThroughRule, "api" | "cacheTtl" | "cost" | "method" | "retry">

const operationOf = (id: string, { api, cacheTtl, cost, method, retry }: OperationRule): AnyOperation => ({
  id,
  api: baseUrlSettings[api].api,
  method,
  // The template of spans, which must not contain values.
  path: "/*",
  parameters: [],
  input: Schema.Unknown,
  output: Schema.Unknown,
  decode: Either.right,
  encode: (document) => document,
  isNotFound: () => false,
  success: "2xx",
  retry: retry || method === "GET" ? "always" : "if-not-applied",
  ttl: () => cacheTtl === null ? NoStore() : MaxAge({ duration: cacheTtl }),
  cacheNotFound: false,
  cost,
  price: cost,
  docs: { summary: "Forwards a request that no operation describes" }
})

/** Returns the request to the upstream. */
export const requestOf = (
  { operation }: PassThrough,
  { path, query }: RequestTarget,
  body: string | null
) => {
  const prefix = pathPrefix[operation.api]
  const method: Method = operation.method
  return { method, path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path, query, body }
}

const refused = Either.left(
  ProxyError.make(
    "passthrough-refused",
    "no operation has this path, and it is not passed through for this client; see / for the list of paths. The operator can add a " +
      "rule to passthrough.rules"
  )
)
