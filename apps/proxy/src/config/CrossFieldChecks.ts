/** Checks that involve several keys. */
import { pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { baseUrlSettings, upstreamNames } from "@blockquarry/core/Upstreams"
import { parse as parseRedisUrl } from "@blockquarry/redis/RedisUrl"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { allowsAnonymousClients, type Config, type Cost, isLoopback, shareOf } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import { formatSize } from "./ValueFormats.ts"
import { shapeOf } from "./Weights.ts"

const operationPaths: ReadonlySet<string> = new Set(
  allOperations.map(({ api, path }) => shapeOf(pathPrefix[api] + path))
)

export interface Finding {
  readonly path: ConfigPath.ConfigPath
  readonly message: string
}

type Report = (path: ConfigPath.ConfigPath, message: string) => void

export const check = (
  config: Config
): { readonly errors: ReadonlyArray<Finding>; readonly warnings: ReadonlyArray<Finding> } => {
  const errors: Array<Finding> = []
  const warnings: Array<Finding> = []
  const reject: Report = (path, message) => void errors.push({ path, message })
  const warn: Report = (path, message) => void warnings.push({ path, message })
  checkNames(config, reject)
  checkPrices(config, reject)
  checkRules(config, reject)
  checkAccess(config, reject, warn)
  checkRedis(config, reject, warn)
  checkMemory(config, reject)
  if (lacksBaseUrls(config)) warn(["upstream", "baseUrls"], noBaseUrl)
  return { errors, warnings }
}

/** Names that must be unique, or those of others. */
const checkNames = (
  { clients, jwt, passthrough: { rules }, policies, teams, upstream: { keys } }: Config,
  reject: Report
): void => {
  const tokens = clients.flatMap(({ tokens }, client) =>
    tokens.map((token, index) => [["clients", client, "tokens", index], token] as const)
  )
  const subjects = clients.flatMap(({ subjects }, client) =>
    subjects.map((subject, index) => [["clients", client, "subjects", index], subject] as const)
  )
  if (jwt !== undefined && allowsAnonymousClients({ clients })) {
    reject(["jwt"], "authentication is disabled because clients is empty; add clients with subjects")
  }
  const members = teams.flatMap(({ clients }, team) =>
    clients.map((name, index) => [["teams", team, "clients", index], name] as const)
  )
  const policyNames = namesIn(["policies"], policies)
  const known = [...allOperations.map(({ id }) => id), ...rules.map(({ name }) => name), "other"]
  for (const [path, name] of policyNames) {
    if (!known.includes(name)) reject(path, `no operation and no rule has the name ${name}`)
  }
  const repetitions = [
    ...repeated(policyNames, "an operation or rule has one policy"),
    ...repeated(namesIn(["clients"], clients), "client names must be unique"),
    ...repeated(tokens.map(([path, { hash }]) => [path, hash]), "a token belongs to one client"),
    ...repeated(subjects, "a subject belongs to one client"),
    ...repeated(namesIn(["teams"], teams), "team names must be unique"),
    ...repeated(members, "a client belongs to one team"),
    ...repeated(namesIn(["upstream", "keys"], keys), "key names must be unique"),
    ...repeated(namesIn(["passthrough", "rules"], rules), "rule names must be unique")
  ]
  for (const { message, path } of repetitions) reject(path, message)
  for (const [path, name] of members) {
    if (!clients.some((client) => client.name === name)) reject(path, `no client has the name ${name}`)
  }
}

/** Parameters that decide a price, or that are checked for a client, must exist and be sent. */
const checkPrices = (
  { clients, costs: configured, passthrough: { rules }, policies }: Config,
  reject: Report
): void => {
  const isRestricted = clients.some(({ chains, contracts }) => chains.length + contracts.length > 0)
  const costs: Readonly<Record<string, Cost | null>> = configured
  const pricedBy = new Map(rules.map(({ cost, name }) => [name, cost?.per?.parameter]))
  for (const { id, parameters, per } of allOperations) {
    const names = parameters.flatMap(({ in: place, jsonSchema, name }) =>
      place === "query" ? [jsonSchema.type === "array" ? `${name}[]` : name] : []
    )
    const parameter = costs[id]?.per?.parameter
    pricedBy.set(id, parameter ?? per?.parameter)
    if (parameter === undefined || names.includes(parameter)) continue
    const message = `${id} has no parameter ${parameter}; expected one of: ${names.join(", ")}`
    reject(["costs", id, "per", "parameter"], message)
  }
  for (const [index, { cache, name: policy }] of policies.entries()) {
    for (const name of cache.ignoreQuery) {
      const reason = isRestricted && /chain|contract/.test(name)
        ? "it is checked for clients with chains or contracts"
        : pricedBy.get(policy)?.replace("[]", "") === name.replace("[]", "")
        ? "the price depends on it"
        : undefined
      if (reason === undefined) continue
      reject(
        ["policies", index, "cache", "ignoreQuery"],
        `${name} must be sent, because ${reason}; remove it`
      )
    }
  }
}

const checkRules = ({ clients, passthrough: { rules } }: Config, reject: Report): void => {
  const isAnonymous = allowsAnonymousClients({ clients })
  for (const [index, rule] of rules.entries()) {
    const path = ["passthrough", "rules", index]
    // Its cost and its clients would never apply
    if (operationPaths.has(shapeOf(rule.path))) {
      reject([...path, "path"], "an operation has this path; requests for it are never passed through")
    }
    if (rule.api === "data" && !rule.path.startsWith(`${pathPrefix.data}/`)) {
      reject([...path, "path"], `expected a path below ${pathPrefix.data}, as all of the data API`)
    }
    for (const [at, client] of rule.clients.entries()) {
      if (client === "anonymous" ? isAnonymous : clients.some(({ name }) => name === client)) continue
      reject([...path, "clients", at], `no client has the name ${client}`)
    }
  }
}

/** Who can connect. */
const checkAccess = (
  { admin, allowAnonymous, clients, listen }: Config,
  reject: Report,
  warn: Report
): void => {
  if (allowsAnonymousClients({ clients }) && !allowAnonymous && !isLoopback(listen.host)) {
    reject(
      ["listen", "host"],
      "other machines can connect to this address, and authentication is disabled because clients is empty: " +
        "add clients (quarry-proxy token NAME creates a token), listen on 127.0.0.1, or set allowAnonymous: true"
    )
  }
  if (admin?.open === "all" && !isLoopback(admin.host)) {
    warn(
      ["admin", "open"],
      "other machines can connect to admin.host, and /status.json, /usage and /purge require no token; set metrics or none, " +
        "and admin.tokens (quarry-proxy token NAME creates a token)"
    )
  }
}

const checkRedis = ({ clients, quotas, redis, teams }: Config, reject: Report, warn: Report): void => {
  const redisUrl = Either.getOrUndefined(parseRedisUrl(redis === undefined ? "" : Redacted.value(redis.url)))
  if (redis?.tls !== undefined && redisUrl?.tls === false) {
    reject(["redis", "tls"], "conflicts with redis.url, which is not rediss:// or rediss+sentinel://")
  }
  const owners = [quotas, ...teams, ...clients]
  if (redis === undefined && owners.some(({ monthlyQuota }) => monthlyQuota !== null)) {
    warn(["redis"], "not set, so monthly quotas are in memory, and begin at zero when the process restarts")
  }
}

/** Otherwise each response would be paid for and then rejected. */
const checkMemory = (config: Config, reject: Report): void => {
  const { maxBufferedBytes, maxResponseBytes } = config.limits
  const clientMemory = Math.floor(maxBufferedBytes * shareOf(config, "clientMemoryShare"))
  if (clientMemory >= maxResponseBytes) return
  const [memory, response] = [formatSize(clientMemory), formatSize(maxResponseBytes)]
  reject(
    ["limits", "maxBufferedBytes"],
    `one client may use ${memory} of it, less than a response of limits.maxResponseBytes (${response})`
  )
}

export const lacksBaseUrls = ({ upstream: { baseUrls, sandbox } }: Pick<Config, "upstream">): boolean =>
  !sandbox && upstreamNames.every((name) => baseUrls[name] === undefined)

export const noBaseUrl = "no base URL is set, so all requests to the APIs fail; set at least one, such as " +
  `upstream.baseUrls.data (${baseUrlSettings.data.variable}), or try the sandbox (--sandbox)`

const namesIn = (path: ConfigPath.ConfigPath, named: ReadonlyArray<{ readonly name: string }>) =>
  named.map(({ name }, index) => [[...path, index, "name"], name] as const)

const repeated = (
  values: ReadonlyArray<readonly [path: ConfigPath.ConfigPath, value: string]>,
  requirement: string
): ReadonlyArray<Finding> => {
  const firsts = new Map(values.toReversed().map(([path, value]) => [value, path]))
  return values.flatMap(([path, value]) => {
    const first = firsts.get(value) ?? path
    return first === path ? [] : [{ path, message: `same as ${ConfigPath.format(first)}; ${requirement}` }]
  })
}
