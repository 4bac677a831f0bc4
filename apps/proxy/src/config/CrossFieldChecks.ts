/** What settings have to do with each other. */
import { allowsAnonymousClients, type Config, isLoopback, upstreamNames } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import type { ConfigDocument } from "./ConfigSchema.ts"
import { type ConfigIssue, makeIssue } from "./Diagnostic.ts"

/** A rule over settings. It is left alone where one that it reads is broken anyway. */
interface CrossFieldRule {
  readonly reads: ReadonlyArray<ConfigPath.ConfigPath>
  readonly check: (config: Config, document: ConfigDocument) => ReadonlyArray<ConfigIssue>
}

export interface CheckResult {
  readonly errors: ReadonlyArray<ConfigIssue>
  readonly warnings: ReadonlyArray<ConfigIssue>
}

export const check = (
  config: Config,
  document: ConfigDocument,
  invalidPaths: ReadonlyArray<ConfigPath.ConfigPath>
): CheckResult => {
  const run = (rules: ReadonlyArray<CrossFieldRule>) =>
    rules
      .filter(({ reads }) =>
        !reads.some((path) => invalidPaths.some((invalidPath) => ConfigPath.overlaps(path, invalidPath)))
      )
      .flatMap((rule) => rule.check(config, document))
  return { errors: run(errors), warnings: run(warnings) }
}

const rule = (
  reads: ReadonlyArray<ConfigPath.ConfigPath>,
  check: CrossFieldRule["check"]
): CrossFieldRule => ({ reads, check })

/** What is at several places: the first, and every other. */
const duplicates = <A>(
  values: ReadonlyArray<{ readonly value: A; readonly path: ConfigPath.ConfigPath }>,
  messageFor: (first: string) => string
): ReadonlyArray<ConfigIssue> => {
  const firsts = new Map<A, ConfigPath.ConfigPath>()
  return values.flatMap(({ path, value }) => {
    const first = firsts.get(value)
    if (first !== undefined) return [makeIssue(path, messageFor(ConfigPath.formatPath(first)))]
    firsts.set(value, path)
    return []
  })
}

const errors: ReadonlyArray<CrossFieldRule> = [
  rule([["clients"]], ({ clients }) =>
    duplicates(
      clients.map(({ name }, index) => ({ value: name, path: ["clients", index, "name"] })),
      (first) => `this is ${first} too; every client needs a name of its own`
    )),
  rule([["upstream", "keys"]], ({ upstream }) =>
    duplicates(
      upstream.keys.map(({ name }, index) => ({ value: name, path: ["upstream", "keys", index, "name"] })),
      (first) => `this is ${first} too; every key needs a name of its own`
    )),
  rule([["clients"]], ({ clients }) =>
    duplicates(
      clients.flatMap(({ tokens }, client) =>
        tokens.map((value, index) => ({ value, path: ["clients", client, "tokens", index] }))
      ),
      (first) => `this is ${first} too; a token belongs to one client, once`
    )),
  rule(
    [["clients"], ["allowAnonymous"], ["listen", "host"]],
    (config) =>
      allowsAnonymousClients(config) && !config.allowAnonymous && !isLoopback(config.listen.host)
        ? [makeIssue(
          ["listen", "host"],
          "other machines reach this address, and there are no clients, so that nobody has to show a token: " +
            "name clients (quarry-proxy token NAME makes a token), or listen on 127.0.0.1, or set openToEveryone: true"
        )]
        : []
  ),
  rule([["clients"], ["allowAnonymous"]], (config) =>
    !allowsAnonymousClients(config) && config.allowAnonymous
      ? [makeIssue(
        ["allowAnonymous"],
        "there are clients, so it is not open to everyone: leave this out, or the clients"
      )]
      : []),
  rule(
    [["listen", "host"], ["listen", "port"], ["admin"]],
    ({ listen, admin }) =>
      admin !== null && admin.port === listen.port && listen.port !== 0 &&
        sameHost(admin.host, listen.host)
        ? [makeIssue(
          ["admin", "port"],
          `clients are served on port ${listen.port} already; choose another for one of both`
        )]
        : []
  )
]

/** Everything of this machine takes in each of its addresses. */
const wildcardHosts: ReadonlyArray<string> = ["0.0.0.0", "::"]

const sameHost = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || wildcardHosts.includes(a) || wildcardHosts.includes(b)

const warnings: ReadonlyArray<CrossFieldRule> = [
  rule(
    [["admin"]],
    ({ admin }) =>
      admin !== null && admin.tokens.length === 0 && !isLoopback(admin.host)
        ? [makeIssue(
          ["admin", "host"],
          "other machines reach this address, and there are no tokens, so /purge and /usage stay closed; " +
            "set operations.tokens (quarry-proxy token NAME makes one)"
        )]
        : []
  ),
  rule([["clients"]], ({ clients }) =>
    clients.flatMap(({ name, tokens }, index) =>
      tokens.length === 0
        ? [makeIssue(["clients", index, "tokens"], `nobody can be ${name} without a token`)]
        : []
    )),
  rule(
    [["upstream", "sandbox"], ["upstream", "baseUrls"]],
    ({ upstream }) =>
      upstream.sandbox && upstreamNames.some((name) => upstream.baseUrls[name] !== undefined)
        ? [
          makeIssue(
            ["upstream", "sandbox"],
            "the sandbox takes the place of the addresses, which are not used"
          )
        ]
        : []
  ),
  rule(
    [["upstream"]],
    ({ upstream }, said) =>
      upstream.sandbox ?
        [] :
        upstream.keys.flatMap((key, index) =>
          (said.upstream?.keys?.[index]?.upstreams ?? []).flatMap((name, at) =>
            upstream.baseUrls[name] === undefined
              ? [makeIssue(
                ["upstream", "keys", index, "baseUrls", at],
                `the key ${key.name} is for ${name}, which has no address; set upstream.addresses.${name}`
              )]
              : []
          )
        )
  ),
  rule(
    [["upstream"]],
    ({ upstream }) =>
      upstream.sandbox || upstream.keys.length === 0 ?
        [] :
        upstreamNames.flatMap((name) =>
          upstream.baseUrls[name] === undefined ||
            upstream.keys.some(({ upstreams }) => upstreams.includes(name))
            ? []
            : [makeIssue(
              ["upstream", "baseUrls", name],
              "no key is for this address, so nothing can be asked there; add it to a key's addresses"
            )]
        )
  )
]
