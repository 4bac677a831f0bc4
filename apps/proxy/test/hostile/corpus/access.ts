/**
 * What clients may read, and what they may not, generated from the operations. An attack is a request for data that its client
 * may not read, in a spelling that an upstream may understand in another way than the proxy does.
 */
import { type AnyOperation, isList, pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput, encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import { sample } from "../../../../../packages/core/test/support/sample.ts"
import { examples, testClient, testRule } from "../../support/proxy.ts"

export interface AccessRequest {
  /** The name of the client, which is its token. Null: without a token. */
  readonly client: string | null
  readonly method: string
  readonly target: string
  readonly body?: string | null
  /** How the client sends its token. Default: in `X-API-Key`. */
  readonly credentials?: (token: string) => ReadonlyArray<string>
  /** What the response may be: a status, and the code of an error. */
  readonly expected: ReadonlyArray<string>
}

const contract = `0x${"a1".repeat(20)}`
const otherContract = `0x${"b2".repeat(20)}`

/** Clients that may read some chains or contracts only, in all APIs. */
const restrictions = {
  chains: { chains: ["polygon"] },
  contracts: { contracts: [contract] },
  both: { chains: ["0x89"], contracts: [contract] }
}

type Restriction = "chains" | "contracts" | "both"

const restrictionNames: ReadonlyArray<Restriction> = ["chains", "contracts", "both"]

const operations: ReadonlyArray<AnyOperation> = allOperations

const everything = ["read", "write", "passthrough"]

/** The scopes of the clients without another restriction. */
const scopes: Readonly<Record<string, ReadonlyArray<string>>> = {
  none: [],
  read: ["read"],
  write: ["write"],
  passthrough: ["passthrough"],
  everything,
  ...Object.fromEntries(operations.map(({ id }) => [id, [id]]))
}

/** A client that may read everything. */
export const unrestricted = testClient("everything", "everything", { scopes: everything })

export const clients = [
  ...restrictionNames.map((name) => testClient(name, name, { ...restrictions[name], scopes: everything })),
  ...Object.entries(scopes).map(([name, scopes]) => testClient(name, name, { scopes }))
]

const served = ["200"]
const refused = ["403 chain-not-allowed", "403 contract-not-allowed"]
const refusedOrInvalid = [...refused, "400 invalid-request"]
const outOfScope = ["403 insufficient-scope"]
const notPassedThrough = ["403 passthrough-refused"]
const anyRefusal = [
  ...refusedOrInvalid,
  ...outOfScope,
  ...notPassedThrough,
  "400 malformed-uri",
  "400 malformed-request",
  "405 method-not-allowed",
  "421 host-not-allowed"
]

/** A path with the values of a request for a contract, and its query without chains and contracts. */
const exampleOf = (operation: AnyOperation, address = contract) => {
  const example: unknown = operation.example?.({ ...examples, token: address, collection721: address })
  const request = encodeRequest(operation, Either.getOrThrow(decodeInput(operation, example)))
  return {
    path: pathPrefix[operation.api] + request.path,
    query: formatQuery(request.query.filter(([name]) => !/chain|contract/.test(name))),
    body: request.body
  }
}

/** Joins a path and the parts of a query that are not empty. */
const targetOf = (path: string, ...parts: ReadonlyArray<string>): string => {
  const query = parts.filter((part) => part !== "").join("&")
  return query === "" ? path : `${path}?${query}`
}

/** Adds a part to the query, first or last. */
const withPart = (target: string, part: string, isFirst = false): string => {
  const [path = "", query = ""] = target.split("?")
  return isFirst ? targetOf(path, part, query) : targetOf(path, query, part)
}

const encodeLetter = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`

type Form = (target: string) => string

/** Forms of the same target: the response is that to the first. */
const equalForms: ReadonlyArray<Form> = [
  (target) => target,
  // A letter of the last word of the path, such as `price`.
  (target) => target.replace(/[a-z](?=[a-z]*(?:\/[^a-z?/][^?/]*)*(?:\?|$))/, encodeLetter),
  (target) => `http://localhost${target}`
]

/** A letter of the prefix is encoded: the same target, or none. */
const encodedPrefix: Form = (target) => target.replace(/[a-z]/, encodeLetter)

/** Forms that are other targets, or none: no operation has them. */
const otherForms: ReadonlyArray<Form> = [
  (target) => target.replace(/[a-z]/, (letter) => encodeLetter(letter.toUpperCase())),
  (target) => target.replace(/[^?]*/, (path) => path.toUpperCase().replaceAll("0X", "0x")),
  (target) => target.replace(/(?<=.)\//, "//"),
  ...[
    "/ /. /x/.. /%2e /%2e%2e /%2f /; /%20 /%00 http://a@localhost ftp://localhost https://localhost",
    "http://localhost/"
  ].flatMap((starts) => starts.split(" ")).map((start): Form => (target) => start + target),
  (target) => target.replace(/\/(?=[^/]*$)/, "/%2e%2E/"),
  (target) => target.replace(/\/(?=[^/]*$)/, "%2f"),
  ...["/", "//", "%20", ";a=b", "%00", "/.", "/%2e", "%2f", "%252f", "%3f", "%23"].map(
    (tail): Form => (target) => target.replace(/(?=\?|$)/, tail)
  )
]

const refusedForms = [encodedPrefix, ...otherForms]

const credentials: ReadonlyArray<(token: string) => ReadonlyArray<string>> = [
  (token) => [`X-API-Key: ${token}`],
  (token) => [`Authorization: Bearer ${token}`],
  (token) => ["X-API-Key: key-of-the-upstream", `Authorization: bearer ${token}`],
  (token) => [`X-API-Key: ${token}`, "Authorization: Bearer a.b.c"]
]

/** Spellings of a name that are the same parameter. */
const namesOf = (name: string): ReadonlyArray<string> => [
  name,
  `${name}[]`,
  `${name}[0]`,
  `${name}%5b%5D`,
  name.replace("c", "%63")
]

const restrictedNames = ["chain", "chains", "contract_addresses"]

/** Names that no operation has, and that an upstream may read as that of a chain or contract. */
const similarNames = [
  ...restrictedNames.flatMap((name) => [
    name.toUpperCase(),
    name.replace("c", "C"),
    ...["[a]", "[0][0]", "[-1]", "[", ".", ".0", "+", "%20", "%00", "%09"].map((tail) => name + tail),
    ...["+", "%0a", "%EF%BB%BF", "x[", "__proto__["].map((head) => head + name),
    `[${name}]`,
    name.replace("c", "%2563"),
    name.replace("c", "%EF%BD%83")
  ]),
  ...[
    "contractAddresses",
    "contract-addresses",
    "contract.addresses",
    "contract+addresses",
    "contract[addresses"
  ],
  ...["contract_address", "token_addresses[]", "tokens", "address", "chain_id", "chainId", "blockchain"]
]

const isContract = (name: string): boolean => /ontract|address/i.test(name)

/** Names that an operation does not have. */
const foreignNames = ({ parameters }: AnyOperation): ReadonlyArray<string> => [
  ...restrictedNames.filter((name) => parameters.every((parameter) => parameter.name !== name)).flatMap(
    namesOf
  ),
  ...similarNames
]

const addressSpellings = (address: string): ReadonlyArray<string> => [
  address,
  `0x${address.slice(2).toUpperCase()}`,
  `%30x${address.slice(2)}`,
  address.replace(/(?<=0x)./, encodeLetter)
]

/** A part of a request, in all spellings: for what its client may read, and for what it may not. */
interface Part {
  readonly allowed: ReadonlyArray<string>
  readonly other: ReadonlyArray<string>
}

const chains: Part = {
  allowed: ["polygon", "POLYGON", "0x89", "0X0089", "%70olygon"],
  other: ["base", "BASE", "0x2105", "0X02105", "%62ase", "someday", "all", "*", "polygon%20", "polygon%00"]
}

const contracts: Part = { allowed: addressSpellings(contract), other: addressSpellings(otherContract) }

/** A parameter with two values, in every format of arrays. */
const both = (name: string, a = "", b = ""): ReadonlyArray<string> => [
  `${name}[]=${a}&${name}[]=${b}`,
  `${name}[0]=${a}&${name}[1]=${b}`,
  `${name}[1]=${a}&${name}[0]=${b}`,
  `${name}=${a}&${name}=${b}`,
  `${name}=${a}&${name}[]=${b}`,
  `${name}[]=${a}&order=DESC&${name}%5B%5D=${b}`,
  `${name}=${a},${b}`,
  `${name}[]=${a}%2C${b}`
]

/** A query parameter. Without it, a request is for all, or for the default chain of the upstream. */
const queryPart = (name: string, { allowed, other }: Part, isList: boolean): Part => {
  const single = ([first = "", ...values]: ReadonlyArray<string>) => [
    ...namesOf(name).map((name) => `${name}=${first}`),
    ...values.map((value) => `${name}=${value}`)
  ]
  return {
    allowed: [...single(allowed), ...(isList ? both(name, ...allowed) : [])],
    other: [
      "",
      `${name}=`,
      `${name}[]=&${name}=,`,
      ...single(other),
      ...both(name, allowed[0], other[0]),
      ...both(name, other[0], allowed[0])
    ]
  }
}

/** The parts that decide about a request of an operation. An operation that lacks one is for all chains or contracts. */
const partsOf = (operation: AnyOperation, restriction: Restriction): ReadonlyArray<Part> => {
  const has = (name: string) => operation.parameters.some((parameter) => parameter.name === name)
  const all: Part = { allowed: [], other: [""] }
  const { path } = exampleOf(operation)
  const inPath = (spellings: ReadonlyArray<string>) =>
    spellings.map((spelling) => path.replace(contract, spelling))
  const chain = has("chains")
    ? queryPart("chains", chains, true)
    : has("chain")
    ? queryPart("chain", chains, false)
    : all
  const ofContracts = path !== exampleOf(operation, otherContract).path
    ? { allowed: inPath(contracts.allowed), other: inPath(contracts.other) }
    : has("contract_addresses")
    ? queryPart("contract_addresses", contracts, true)
    : all
  return [...(restriction === "contracts" ? [] : [chain]), ...(restriction === "chains" ? [] : [ofContracts])]
}

/** The targets of an operation that a client with a restriction may use, and those that it may not. */
interface Targets {
  readonly allowed: ReadonlyArray<string>
  /** For what its client may not read. The first is invalid for no client. */
  readonly plain: ReadonlyArray<string>
  /** With parameters that the operation does not have. */
  readonly foreign: ReadonlyArray<string>
}

const targetsFor = (operation: AnyOperation, restriction: Restriction): Targets => {
  const { path, query } = exampleOf(operation)
  const withNames = (target: string, chain: string, address: string) =>
    foreignNames(operation).map((name, index) =>
      withPart(target, `${name}=${isContract(name) ? address : chain}`, index % 2 === 1)
    )
  if (operation.api !== "data") {
    const target = targetOf(path, query)
    return { allowed: [target], plain: [], foreign: withNames(target, otherContract, otherContract) }
  }
  const parts = partsOf(operation, restriction)
  const build = (chosen: ReadonlyArray<string>) => {
    const own = chosen.find((part) => part.startsWith("/")) ?? path
    return targetOf(own, query, ...chosen.filter((part) => !part.startsWith("/")))
  }
  /** One part in each of its spellings, and the others as they are allowed. */
  const vary = (of: keyof Part) =>
    parts.flatMap((part, index) =>
      part[of].map((spelling) =>
        build(parts.map(({ allowed: [first = ""] }, other) => other === index ? spelling : first))
      )
    )
  const allowed = parts.every((part) => part.allowed.length > 0) ? vary("allowed") : []
  const plain = vary("other")
  const [attack = ""] = plain
  return {
    allowed,
    plain,
    foreign: [
      // What the client may read, where it does not count
      ...withNames(attack, "polygon", contract),
      withPart(attack, "x=1;chain=polygon"),
      withPart(attack, `x=1%26contract_addresses=${contract}`),
      // What the client may not read, where it does not count for the proxy
      ...allowed.slice(0, 1).flatMap((target) => withNames(target, "base", otherContract))
    ]
  }
}

const methodsOf = ({ method }: AnyOperation): ReadonlyArray<string> =>
  method === "GET" ? ["GET", "HEAD"] : [method]

/** The paths of one response, and of the whole list. */
const prefixesOf = (operation: AnyOperation): ReadonlyArray<string> => isList(operation) ? ["", "/all"] : [""]

/** The requests of an operation with a target: for one response, for the whole list, and for its headers. */
const requestsOf = (
  operation: AnyOperation,
  client: string | null,
  target: string,
  expected: ReadonlyArray<string>,
  forms: ReadonlyArray<Form> = equalForms.slice(0, 1)
): ReadonlyArray<AccessRequest> =>
  prefixesOf(operation).flatMap((prefix) =>
    methodsOf(operation).flatMap((method) =>
      forms.map((form) => ({
        client,
        method,
        target: form(prefix + target),
        body: exampleOf(operation).body,
        expected
      }))
    )
  )

const withCredentials = (requests: ReadonlyArray<AccessRequest>): ReadonlyArray<AccessRequest> =>
  requests.map((request, index) => {
    const found = credentials[index % credentials.length]
    return found === undefined ? request : { ...request, credentials: found }
  })

const withRestrictions = <A>(
  toAll: (operation: AnyOperation, restriction: Restriction, targets: Targets) => ReadonlyArray<A>
): ReadonlyArray<A> =>
  operations.flatMap((operation) =>
    restrictionNames.flatMap((name) => toAll(operation, name, targetsFor(operation, name)))
  )

/** A body that could name what the client may read. */
const allowedBody = JSON.stringify({ chain: "polygon", chains: ["polygon"], contract_addresses: [contract] })

/** Requests of clients with chains or contracts. */
export const restricted = {
  attacks: withRestrictions((
    operation,
    client,
    { allowed, foreign, plain }
  ): ReadonlyArray<AccessRequest> => [
    ...plain.slice(0, 1).flatMap((target) => [
      ...withCredentials(requestsOf(operation, client, target, refused, equalForms)),
      ...requestsOf(operation, client, target, anyRefusal, refusedForms),
      { client, method: "GET", target, body: allowedBody, expected: refused }
    ]),
    ...allowed.slice(0, 1).flatMap((target) =>
      operation.api === "data" ? requestsOf(operation, client, target, anyRefusal, otherForms) : []
    ),
    ...plain.slice(1).map((target) => ({ client, method: "GET", target, expected: refusedOrInvalid })),
    ...foreign.flatMap((target, index) => {
      const all = requestsOf(operation, client, target, refused, equalForms)
      return all.slice(index % all.length).slice(0, 1)
    })
  ]),
  served: withRestrictions((operation, client, { allowed }) =>
    allowed.flatMap((target, index) => [
      ...(index === 0
        ? withCredentials(requestsOf(operation, client, target, served, equalForms))
        : requestsOf(operation, client, target, served)),
      // Unknown parameters with other names.
      ...requestsOf(
        operation,
        client,
        withPart(target, `x=1&filter[]=polygon&q[a]=${otherContract}`),
        served
      ).slice(0, 1)
    ])
  )
}

/** What only a client without restrictions may read: parameters that the operation does not have. */
export const servedWithoutRestrictions: ReadonlyArray<AccessRequest> = [
  ...restricted.served,
  ...withRestrictions((operation, client, { foreign, plain }) =>
    [...plain.slice(0, 1), ...foreign].flatMap((target) =>
      requestsOf(operation, client, target, served).slice(0, 1)
    )
  )
].map((request) => ({ ...request, client: "everything" }))

/** Whether a client without chains and contracts may use an operation. */
const hasScope = (client: string, { id, method }: AnyOperation): boolean =>
  (scopes[client] ?? []).some((scope) => scope === id || scope === (method === "GET" ? "read" : "write"))

const withScopes = (
  toRequests: (operation: AnyOperation, client: string, isAllowed: boolean) => ReadonlyArray<AccessRequest>
) =>
  operations.flatMap((operation) =>
    Object.keys(scopes).flatMap((client) => toRequests(operation, client, hasScope(client, operation)))
  )

const plainTarget = (operation: AnyOperation): string => {
  const { path, query } = exampleOf(operation)
  return targetOf(path, query)
}

/** Requests of clients with scopes, and of those without a valid token. */
export const scoped = {
  attacks: [
    ...withScopes((operation, client, isAllowed) =>
      isAllowed
        ? []
        : withCredentials(requestsOf(operation, client, plainTarget(operation), outOfScope, equalForms))
    ),
    ...operations.flatMap((operation) => [
      ...requestsOf(operation, null, plainTarget(operation), ["401 token-missing"], equalForms),
      ...requestsOf(operation, "unknown", plainTarget(operation), ["401 token-unknown"], equalForms)
    ])
  ],
  served: withScopes((operation, client, isAllowed) =>
    isAllowed
      ? withCredentials(requestsOf(operation, client, plainTarget(operation), served, equalForms))
      : []
  )
}

/** Rules for all clients with the scope, for clients without it, and those that change data, for one client and for none. */
export const rules = ([
  ["open", "GET", []],
  ["named", "GET", ["none", "chains"]],
  ["change", "POST", ["none"]],
  ["search", "POST", []]
] as const).map(([name, method, clients]) => testRule(name, `/api/v2.2/${name}/*`, { method, clients }))

/** Other paths of the upstream. */
const otherPaths = [
  "/api/v2.2/open/a",
  `/api/v2.2/wallets/${examples.wallet}/net-worth`,
  `/api/v2.2/erc20/${contract}/stats?chain=polygon`,
  `/api/v2.2/nft/${contract}/trades?chain=polygon&contract_addresses[]=${contract}`,
  "/api/v2.2/info/endpointWeights"
]

/** Paths that no client may use without a rule. */
const closedPaths = [
  "/settings",
  "/streams/evm",
  "/v1/accounts/0x1",
  "/all/api/v2.2/open/a",
  "/api/v2.2/nft/0x1/1/resync"
]

const mayPassThrough = (client: string): boolean => scopes[client]?.includes("passthrough") === true

const reads = (
  client: string,
  target: string,
  expected: ReadonlyArray<string>
): ReadonlyArray<AccessRequest> =>
  equalForms.flatMap((form) =>
    ["GET", "HEAD"].map((method) => ({ client, method, target: form(target), expected }))
  )

const writes = (client: string, target: string): ReadonlyArray<AccessRequest> =>
  ["POST", "PUT", "PATCH", "DELETE"].map((method) => ({
    client,
    method,
    target,
    body: "{}",
    expected: notPassedThrough
  }))

const named = ["none", "chains"]
const namedPath = "/api/v2.2/named/a"
const change: AccessRequest = {
  client: "none",
  method: "POST",
  target: "/api/v2.2/change/a",
  body: "{}",
  expected: served
}

/** Requests that no operation describes. */
export const passedThrough = {
  attacks: [
    ...clients.flatMap(({ name }) => [
      ...otherPaths.flatMap((target) => [
        ...(mayPassThrough(name) ? [] : withCredentials(reads(name, target, notPassedThrough))),
        ...writes(name, target)
      ]),
      ...(named.includes(name) ? [] : [{ ...change, client: name, expected: notPassedThrough }]),
      ...(named.includes(name) || mayPassThrough(name) ? [] : reads(name, namedPath, notPassedThrough)),
      ...writes(name, "/api/v2.2/search/a"),
      ...closedPaths.flatMap((target) => reads(name, target, notPassedThrough))
    ]),
    ...otherPaths.flatMap((target) => [
      { client: null, method: "GET", target, expected: ["401 token-missing"] },
      { client: "unknown", method: "GET", target, expected: ["401 token-unknown"] }
    ]),
    // The path of an operation is none of pass-through in any spelling.
    ...["passthrough", "none", "write"].flatMap((client) =>
      operations.flatMap((operation) =>
        hasScope(client, operation)
          ? []
          : sample(
            requestsOf(operation, client, plainTarget(operation), anyRefusal, [
              ...equalForms,
              ...refusedForms
            ]),
            3
          )
      )
    )
  ],
  served: [
    ...clients.filter(({ name }) => mayPassThrough(name)).flatMap(({ name }) =>
      otherPaths.flatMap((target) => withCredentials(reads(name, target, served)))
    ),
    ...named.flatMap((client) => reads(client, namedPath, served)),
    change
  ]
} satisfies Readonly<Record<"attacks" | "served", ReadonlyArray<AccessRequest>>>
