/** What settings have to do with each other. */
import { addressNames, type Config, isLoopback, isOpen } from "./Config.ts"
import type { Document } from "./Document.ts"
import * as Path from "./Path.ts"
import { type Finding, finding } from "./Problem.ts"

/** A rule over settings. It is left alone where one that it reads is broken anyway. */
interface Rule {
  readonly reads: ReadonlyArray<Path.Path>
  readonly check: (config: Config, said: Document) => ReadonlyArray<Finding>
}

export interface Verdict {
  readonly wrong: ReadonlyArray<Finding>
  readonly doubtful: ReadonlyArray<Finding>
}

export const check = (config: Config, said: Document, broken: ReadonlyArray<Path.Path>): Verdict => {
  const run = (rules: ReadonlyArray<Rule>) =>
    rules
      .filter(({ reads }) => !reads.some((path) => broken.some((wrong) => Path.overlap(path, wrong))))
      .flatMap((rule) => rule.check(config, said))
  return { wrong: run(errors), doubtful: run(warnings) }
}

const rule = (reads: ReadonlyArray<Path.Path>, check: Rule["check"]): Rule => ({ reads, check })

/** What is at several places: the first, and every other. */
const repeated = <A>(
  values: ReadonlyArray<{ readonly value: A; readonly path: Path.Path }>,
  problem: (first: string) => string
): ReadonlyArray<Finding> => {
  const firsts = new Map<A, Path.Path>()
  return values.flatMap(({ path, value }) => {
    const first = firsts.get(value)
    if (first !== undefined) return [finding(path, problem(Path.text(first)))]
    firsts.set(value, path)
    return []
  })
}

const errors: ReadonlyArray<Rule> = [
  rule([["clients"]], ({ clients }) =>
    repeated(
      clients.map(({ name }, index) => ({ value: name, path: ["clients", index, "name"] })),
      (first) => `this is ${first} too; every client needs a name of its own`
    )),
  rule([["upstream", "keys"]], ({ upstream }) =>
    repeated(
      upstream.keys.map(({ name }, index) => ({ value: name, path: ["upstream", "keys", index, "name"] })),
      (first) => `this is ${first} too; every key needs a name of its own`
    )),
  rule([["clients"]], ({ clients }) =>
    repeated(
      clients.flatMap(({ tokens }, client) =>
        tokens.map((value, index) => ({ value, path: ["clients", client, "tokens", index] }))
      ),
      (first) => `this is ${first} too; a token belongs to one client, once`
    )),
  rule(
    [["clients"], ["openToEveryone"], ["listen", "host"]],
    (config) =>
      isOpen(config) && !config.openToEveryone && !isLoopback(config.listen.host)
        ? [finding(
          ["listen", "host"],
          "other machines reach this address, and there are no clients, so that nobody has to show a token: " +
            "name clients (quarry-proxy token NAME makes a token), or listen on 127.0.0.1, or set openToEveryone: true"
        )]
        : []
  ),
  rule([["clients"], ["openToEveryone"]], (config) =>
    !isOpen(config) && config.openToEveryone
      ? [finding(
        ["openToEveryone"],
        "there are clients, so it is not open to everyone: leave this out, or the clients"
      )]
      : []),
  rule(
    [["listen", "host"], ["listen", "port"], ["operations"]],
    ({ listen, operations }) =>
      operations !== null && operations.port === listen.port && listen.port !== 0 &&
        sameHost(operations.host, listen.host)
        ? [finding(
          ["operations", "port"],
          `clients are served on port ${listen.port} already; choose another for one of both`
        )]
        : []
  )
]

/** Everything of this machine takes in each of its addresses. */
const everywhere: ReadonlyArray<string> = ["0.0.0.0", "::"]

const sameHost = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || everywhere.includes(a) || everywhere.includes(b)

const warnings: ReadonlyArray<Rule> = [
  rule(
    [["operations"]],
    ({ operations }) =>
      operations !== null && operations.tokens.length === 0 && !isLoopback(operations.host)
        ? [finding(
          ["operations", "host"],
          "other machines reach this address, and there are no tokens, so /purge and /usage stay closed; " +
            "set operations.tokens (quarry-proxy token NAME makes one)"
        )]
        : []
  ),
  rule([["clients"]], ({ clients }) =>
    clients.flatMap(({ name, tokens }, index) =>
      tokens.length === 0
        ? [finding(["clients", index, "tokens"], `nobody can be ${name} without a token`)]
        : []
    )),
  rule(
    [["upstream", "sandbox"], ["upstream", "addresses"]],
    ({ upstream }) =>
      upstream.sandbox && addressNames.some((name) => upstream.addresses[name] !== undefined)
        ? [
          finding(["upstream", "sandbox"], "the sandbox takes the place of the addresses, which are not used")
        ]
        : []
  ),
  rule(
    [["upstream"]],
    ({ upstream }, said) =>
      upstream.sandbox ?
        [] :
        upstream.keys.flatMap((key, index) =>
          (said.upstream?.keys?.[index]?.addresses ?? []).flatMap((name, at) =>
            upstream.addresses[name] === undefined
              ? [finding(
                ["upstream", "keys", index, "addresses", at],
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
        addressNames.flatMap((name) =>
          upstream.addresses[name] === undefined ||
            upstream.keys.some(({ addresses }) => addresses.includes(name))
            ? []
            : [finding(
              ["upstream", "addresses", name],
              "no key is for this address, so nothing can be asked there; add it to a key's addresses"
            )]
        )
  )
]
