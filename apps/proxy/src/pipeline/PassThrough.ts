/** Pass-through: requests that no operation describes. Decides which are forwarded, for whom, and by which rule. */
import { type AnyOperation, pathPrefix } from "@blockquarry/core/Operation"
import { MaxAge, NoStore } from "@blockquarry/core/Ttl"
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config, Cost, PassThroughRule } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import { type CostTable, membersOf } from "../quota/CostTable.ts"
import type { UpstreamRequest } from "../upstream/UpstreamClient.ts"
import * as Router from "./Router.ts"

/** How a path is forwarded: as an operation whose description knows little. */
export interface PassThrough {
  readonly operation: AnyOperation
  /** The path pattern of the rule, for the log. */
  readonly route: string
  readonly upstreamName: UpstreamName
  readonly retry: boolean
}

/** What applies to reads without a rule. Metrics and the log have its name. */
const readRule: PassThroughRule = {
  name: "other",
  api: "data",
  method: "GET",
  path: `${pathPrefix.data}/*`,
  cost: null,
  cacheTtl: null,
  retry: false,
  clients: []
}

export interface PassThroughRules {
  /** Returns how a request of a client is forwarded. */
  readonly find: (
    method: string,
    path: string,
    client: AuthenticatedClient
  ) => Either.Either<PassThrough, ProxyError.ProxyError>
  /** Returns the methods that a path has for some client. */
  readonly methodsOf: (path: string) => ReadonlyArray<string>
}

export const make = ({ passthrough }: Pick<Config, "passthrough">, costs: CostTable): PassThroughRules => {
  const all = passthrough.default === "reads" ? [...passthrough.rules, readRule] : passthrough.rules
  const rules = all.map((rule) => ({
    rule,
    pattern: patternOf(rule.path),
    passThrough: passThroughOf(rule, costs)
  }))
  /** Returns the decoded path, and the rules that it matches. The path of an operation matches none, in any spelling. */
  const match = (path: string) => {
    const decoded = path.split("/").map(decodeURIComponent).join("/")
    const operationPath = decoded.toLowerCase().split("/").map(encodeURIComponent).join("/")
    const isRefused = ambiguous.test(decoded) || Router.findRoute(operationPath) !== undefined
    const matches = rules.filter(({ pattern, rule }) =>
      !isRefused && pattern.test(decoded) && !(rule === readRule && triggers.test(decoded))
    )
    return { decoded, matches }
  }
  const find: PassThroughRules["find"] = (method, path, client) => {
    const sent = method === "HEAD" ? "GET" : method
    const { decoded, matches } = match(path)
    const found = matches.find(({ rule: { clients, method } }) =>
      method === sent &&
      (clients.length === 0 ? sent === "GET" && client.mayPassThrough : clients.includes(client.name))
    )
    return found === undefined ? refused : Either.right(found.passThrough(decoded))
  }
  const methodsOf: PassThroughRules["methodsOf"] = (path) => {
    const methods = match(path).matches.flatMap(({ rule: { clients, method } }) =>
      method === "GET" ? ["GET", "HEAD"] : clients.length > 0 ? [method] : []
    )
    return [...new Set(methods)]
  }
  return { find, methodsOf }
}

/** What an upstream may read as the end of a path, decode again, or ignore, such as an empty segment. */
const ambiguous = /[?#%;"'<>{}|^`\s]|\/(?:\/|$)/

/** Segments of paths that make the upstream work. */
const triggers = /\/(?:re)?sync(?:\/|$)/i

/** Matches decoded paths: `:name` is one segment, and `*` at the end is any rest. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path.replaceAll(".", String.raw`\.`).replaceAll(/:\w+/g, "[^/]+").replace(/\*$/, ".+")}$`,
    "u"
  )

type Rule = Omit<PassThroughRule, "clients">

const describe = (rule: Rule, cost: Cost): PassThrough => ({
  operation: operationOf(rule, cost),
  route: rule.path,
  upstreamName: rule.api,
  retry: rule.retry
})

/** Creates the function that describes the request for a path. There is one operation for each cost. */
const passThroughOf = (rule: Rule, costs: CostTable): (path: string) => PassThrough => {
  const described = new Map<string, PassThrough>()
  return (path) => {
    const cost = rule.cost ?? costs.ofPath(path)
    const id = `${cost.price} ${cost.rateCost}`
    const found = described.get(id) ?? describe(rule, cost)
    described.set(id, found)
    return found
  }
}

const operationOf = ({ api, cacheTtl, method, name, retry }: Rule, cost: Cost): AnyOperation => ({
  id: name,
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
  ...membersOf(cost),
  docs: { summary: "Forwards a request that no operation describes" }
})

/** Returns the request to the upstream. */
export const requestOf = (
  found: PassThrough,
  { path: received, query }: Router.RequestTarget,
  body: string | null
): UpstreamRequest => {
  const { api, method } = found.operation
  const path = received.startsWith(`${pathPrefix[api]}/`) ? received.slice(pathPrefix[api].length) : received
  return { ...found, request: { method, path, query, body }, input: {}, passThrough: found }
}

const refused = Either.left(
  ProxyError.make(
    "passthrough-refused",
    "no operation has this path, and it is not passed through for this client; see / for the list of paths. The operator can add " +
      "the scope passthrough, or a rule to passthrough.rules"
  )
)
