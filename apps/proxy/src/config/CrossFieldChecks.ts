/** Checks that involve several keys. */
import { allOperations } from "@blockquarry/core/Operations"
import { baseUrlSettings, upstreamNames } from "@blockquarry/core/Upstreams"
import * as Names from "@blockquarry/http/Settings"
import * as Duration from "effect/Duration"
import { allowsAnonymousClients, type Config, isLoopback, operationIdsOf, shareOf } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import { describeSize, formatMillis } from "./ValueFormats.ts"

interface Finding {
  readonly path: ConfigPath.ConfigPath
  readonly message: string
}

/** Keys that an element requires. Without one of them in one element, the list has no elements. */
const clientKeys = ["clients.*.name", "clients.*.tokens"]
const upstreamKeyKeys = ["upstream.keys.*.name", "upstream.keys.*.secret"]

/** `isSet` returns whether a path is set explicitly. Checks that read one of `invalidPaths` are skipped. */
export const check = (
  config: Config,
  isSet: (path: ConfigPath.ConfigPath) => boolean,
  invalidPaths: ReadonlyArray<ConfigPath.ConfigPath>
): { readonly errors: ReadonlyArray<Finding>; readonly warnings: ReadonlyArray<Finding> } => {
  const errors: Array<Finding> = []
  const warnings: Array<Finding> = []
  const { admin, allowAnonymous, clients, limits, listen, upstream: { baseUrls, keys, sandbox } } = config
  const isAnonymous = allowsAnonymousClients(config)

  const areValid = (...keys: ReadonlyArray<string>) =>
    !keys.some((key) => invalidPaths.some((path) => ConfigPath.overlap(key.split("."), path)))

  if (areValid(...clientKeys)) {
    const names = clients.map(({ name }, index) => [["clients", index, "name"], name] as const)
    const tokens = clients.flatMap(({ tokens }, client) =>
      tokens.map((token, index) => [["clients", client, "tokens", index], token] as const)
    )
    errors.push(...repeated(names, "client names must be unique"))
    errors.push(...repeated(tokens, "a token belongs to one client"))
    for (const [index, { name, tokens }] of clients.entries()) {
      const message = `client ${name} has no token and cannot authenticate`
      if (tokens.length === 0) warnings.push({ path: ["clients", index, "tokens"], message })
    }
  }
  if (areValid(...clientKeys, "allowAnonymous") && !isAnonymous && allowAnonymous) {
    const message = "conflicts with clients, which require tokens; remove one of them"
    errors.push({ path: ["allowAnonymous"], message })
  }
  if (areValid(...clientKeys, "allowAnonymous", "listen.host") && isAnonymous && !allowAnonymous) {
    const message =
      "other machines can connect to this address, and authentication is disabled because clients is empty: " +
      "add clients (quarry-proxy token NAME creates a token), listen on 127.0.0.1, or set allowAnonymous: true"
    if (!isLoopback(listen.host)) errors.push({ path: ["listen", "host"], message })
  }
  if (
    areValid("listen.host", "listen.port", "admin.host", "admin.port") && admin?.port === listen.port &&
    listen.port !== 0
  ) {
    const message = `port ${listen.port} is already used by listen.port; choose another port`
    if (isSameHost(admin.host, listen.host)) errors.push({ path: ["admin", "port"], message })
  }
  if (areValid("admin.host", "admin.open") && admin?.open === "all" && !isLoopback(admin.host)) {
    const message =
      "other machines can connect to admin.host, and /status.json, /usage and /purge require no token; set metrics or none, " +
      "and admin.tokens (quarry-proxy token NAME creates a token)"
    warnings.push({ path: ["admin", "open"], message })
  }
  const { maxBufferedBytes, maxResponseBytes } = limits
  const share = shareOf(config, "clientMemoryShare")
  const memoryKeys = ["clientMemoryShare", "maxBufferedBytes", "maxResponseBytes"].map((name) =>
    `limits.${name}`
  )
  if (areValid(...clientKeys, ...memoryKeys) && maxBufferedBytes * share < maxResponseBytes) {
    const message =
      `one client may use ${describeSize(Math.floor(maxBufferedBytes * share))} of memory${
        isAnonymous ? "" : " (limits.clientMemoryShare)"
      }, which is less than a response of limits.maxResponseBytes (${
        describeSize(maxResponseBytes)
      }): increase this ` +
      "value, or decrease limits.maxResponseBytes"
    errors.push({ path: ["limits", "maxBufferedBytes"], message })
  }
  if (areValid(...upstreamKeyKeys)) {
    const names = keys.map(({ name }, index) => [["upstream", "keys", index, "name"], name] as const)
    errors.push(...repeated(names, "key names must be unique"))
  }
  const checkQuota = (
    path: ConfigPath.ConfigPath,
    dailyQuota: number | null,
    operations: ReadonlySet<string>
  ) => {
    const tooExpensive = Object.entries(config.costs)
      .filter(([id, cost]) => dailyQuota !== null && operations.has(id) && cost > dailyQuota)
      .map(([id, cost]) => `${id} (${cost})`)
    if (tooExpensive.length === 0) return
    const message = `less than one request costs, so these operations always exceed it: ${
      tooExpensive.join(", ")
    }`
    warnings.push({ path, message })
  }
  if (areValid(...clientKeys, "clients.*.dailyQuota", "clients.*.scopes", "costs")) {
    for (const [index, { dailyQuota, scopes }] of clients.entries()) {
      checkQuota(["clients", index, "dailyQuota"], dailyQuota, operationIdsOf(scopes))
    }
  }
  if (areValid(...upstreamKeyKeys, "upstream.keys.*.dailyQuota", "upstream.keys.*.upstreams", "costs")) {
    for (const [index, { dailyQuota, upstreams }] of keys.entries()) {
      const apis = upstreams.map((name) => baseUrlSettings[name].api)
      const ids = allOperations.filter(({ api }) => apis.some((each) => each === api)).map(({ id }) => id)
      checkQuota(["upstream", "keys", index, "dailyQuota"], dailyQuota, new Set(ids))
    }
  }
  const configured = upstreamNames.filter((name) => baseUrls[name] !== undefined)
  if (areValid("upstream.sandbox", "upstream.baseUrls") && sandbox && configured.length > 0) {
    const message = "the base URLs are not used in sandbox mode"
    warnings.push({ path: ["upstream", "sandbox"], message })
  }
  const { circuitBreaker, retry, timeouts } = config.upstream
  for (
    const [section, lower, upper] of [
      ["timeouts", ["attempt", timeouts.attempt], ["call", timeouts.call]],
      ["retry", ["baseDelay", retry.baseDelay], ["maxDelay", retry.maxDelay]],
      ["circuitBreaker", ["openDuration", circuitBreaker.openDuration], [
        "maxOpenDuration",
        circuitBreaker.maxOpenDuration
      ]]
    ] as const
  ) {
    if (Duration.lessThanOrEqualTo(lower[1], upper[1])) continue
    if (!areValid(`upstream.${section}.${lower[0]}`, `upstream.${section}.${upper[0]}`)) continue
    const message = `longer than ${upper[0]} (${
      formatMillis(Duration.toMillis(upper[1]))
    }), which takes precedence`
    warnings.push({ path: ["upstream", section, lower[0]], message })
  }
  if (areValid("upstream.sandbox", "upstream.baseUrls") && lacksBaseUrls(config)) {
    warnings.push({ path: ["upstream", "baseUrls"], message: noBaseUrl })
  }
  const endpointKeys = [...upstreamKeyKeys, "upstream.keys.*.upstreams", "upstream.baseUrls"]
  if (areValid("upstream.sandbox", ...endpointKeys) && !sandbox) {
    for (const [index, key] of keys.entries()) {
      const path = ["upstream", "keys", index, "upstreams"]
      for (const [at, name] of (isSet(path) ? key.upstreams : []).entries()) {
        const message = `key ${key.name} is for ${name}, which has no base URL; set upstream.baseUrls.${name}`
        if (!configured.includes(name)) warnings.push({ path: [...path, at], message })
      }
    }
    const withoutKey = configured.filter((name) => !keys.some(({ upstreams }) => upstreams.includes(name)))
    if (keys.length === 0 && withoutKey.length > 0) {
      const message = `no API key is configured, so requests for ${withoutKey.join(", ")} fail; ` +
        `set ${Names.apiKey}, or add a key`
      warnings.push({ path: ["upstream", "keys"], message })
    } else {
      const message =
        "no key is configured for this upstream, so requests for it fail; add it to the upstreams of a key"
      for (const name of withoutKey) warnings.push({ path: ["upstream", "baseUrls", name], message })
    }
  }
  return { errors, warnings }
}

export const lacksBaseUrls = ({ upstream: { baseUrls, sandbox } }: Pick<Config, "upstream">): boolean =>
  !sandbox && upstreamNames.every((name) => baseUrls[name] === undefined)

export const noBaseUrl = "no base URL is set, so all requests to the APIs fail; set at least one, such as " +
  `upstream.baseUrls.data (${baseUrlSettings.data.variable}), or try the sandbox (--sandbox)`

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

const wildcards: ReadonlyArray<string> = ["0.0.0.0", "::"]

const isSameHost = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || wildcards.includes(a) || wildcards.includes(b)
