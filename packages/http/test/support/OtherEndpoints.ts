/**
 * A service with endpoints that no operation describes, on the loopback interface, and requests to each of them with what every
 * door returns: layers, the promise client and the command line.
 */
import type { ApiRequest } from "@blockquarry/core/ApiRequest"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Http from "node:http"
import { text } from "node:stream/consumers"
import { listen } from "./Server.ts"

/** The API key, which occurs in no other text. */
export const key = "CANARY-e41d07b3aa"

interface Reply {
  readonly status?: number
  /** The text of the body. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Reached {
  readonly query: URLSearchParams
  readonly body: string
  /** How often the same request has arrived, this one included. */
  readonly count: number
  readonly elsewhere: string
}

/** A request, and what it returns. */
export interface EndpointCase {
  readonly name: string
  readonly request: ApiRequest
  readonly reply: (request: Reached) => Reply
  /** The output; for a list, all records. */
  readonly output?: JsonValue
  readonly isList?: boolean
  /** The tag of the error, if it fails. */
  readonly error?: OperationError["_tag"]
  /** The requests that the service gets, as `METHOD target body`. */
  readonly sent: ReadonlyArray<string>
}

const json = (document: unknown): Reply => ({ body: JSON.stringify(document) })

const page = (cursor: unknown, ...result: ReadonlyArray<unknown>): Reply => json({ cursor, result })

interface Exchange extends Pick<ApiRequest, "body" | "retry"> {
  /** The replies to the attempts before the last one. */
  readonly earlier?: ReadonlyArray<Reply>
  /** Default: the output as JSON. */
  readonly reply?: Reply
  readonly error?: OperationError["_tag"]
}

const endpoint = (
  method: NonNullable<ApiRequest["method"]>,
  path: string,
  output: JsonValue,
  { body, earlier = [], error, reply = json(output), retry }: Exchange = {}
): EndpointCase => ({
  name: `${method} ${path.replace(/0x\w+/, ":address")}`,
  request: { method, path, body, retry },
  reply: ({ count }) => earlier[count - 1] ?? reply,
  ...error === undefined ? { output } : { error },
  sent: Array.from(
    { length: earlier.length + 1 },
    () => `${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`
  )
})

const amount = 2n ** 256n - 1n
const wallet = `/wallets/0x${"ab".repeat(20)}`
const throttled: Reply = { status: 429, headers: { "retry-after": "0.02" } }
const unavailable: Reply = { status: 503 }
const truncated: Reply = { body: "{\"ok\":tr" }
const html: Reply = { body: "<html>" }

export const cases: ReadonlyArray<EndpointCase> = [
  endpoint("GET", `${wallet}/net-worth`, { total: String(amount), of: [0.25, String(2n ** 64n), null] }, {
    reply: { body: `{"total":${amount},"of":[0.25,${2n ** 64n},null]}` }
  }),
  endpoint("GET", "/tokens/%F0%9F%98%80%2Fb", [{ symbol: "😀/b" }]),
  endpoint("GET", "/count", 12),
  endpoint("GET", "/nothing", null),
  endpoint("GET", "/throttled", { ok: true }, { earlier: [throttled] }),
  endpoint("GET", "/unavailable", { ok: true }, { earlier: [unavailable] }),
  endpoint("GET", "/truncated", { ok: true }, { earlier: [truncated] }),
  endpoint("GET", "/missing", null, { reply: { status: 404 }, error: "NotFoundError" }),
  endpoint("GET", "/html", null, { earlier: [html, html], reply: html, error: "InvalidResponseError" }),
  {
    ...endpoint("GET", "/redirect", null, { error: "InvalidResponseError" }),
    reply: ({ elsewhere }) => ({ status: 302, headers: { location: `http://${elsewhere}/x` } })
  },
  {
    name: "GET /search with parameters of all kinds",
    request: { path: "/search", query: { q: "a&b ä", ids: [1, amount], flag: true, none: undefined } },
    reply: ({ query }) =>
      json([query.get("q"), ...query.getAll("ids[]"), query.get("flag"), ...query.getAll("none")]),
    output: ["a&b ä", "1", String(amount), "true"],
    sent: [`GET /search?q=a%26b%20%C3%A4&ids%5B%5D=1&ids%5B%5D=${amount}&flag=true`]
  },
  {
    name: "GET /approvals, a list by cursor with a page that breaks off",
    request: { path: "/approvals", query: { limit: 2 } },
    reply: ({ count, query }) => {
      switch (query.get("cursor")) {
        case null:
          return { body: `{"cursor":"b=/1","result":[{"value":${amount}},1],"new":{}}` }
        case "b=/1":
          return count === 1 ? { body: "{\"cursor\":7,\"result\":[2" } : page(7, 2)
        default:
          return page("", 3)
      }
    },
    isList: true,
    output: [{ value: String(amount) }, 1, 2, 3],
    sent: [
      "GET /approvals?limit=2",
      "GET /approvals?limit=2&cursor=b%3D%2F1",
      "GET /approvals?limit=2&cursor=b%3D%2F1",
      "GET /approvals?limit=2&cursor=7"
    ]
  },
  {
    name: "POST /query, a list with its cursor in the body",
    request: { method: "POST", path: "/query", body: { sql: "select" }, retry: "always" },
    reply: ({ body }) => body.includes("cursor") ? page(null, "b") : page("n", "a"),
    isList: true,
    output: ["a", "b"],
    sent: [`POST /query {"sql":"select"}`, `POST /query {"sql":"select","cursor":"n"}`]
  },
  {
    name: "GET /drifted, a list whose second page has an object as its cursor",
    request: { path: "/drifted" },
    reply: ({ query }) => query.has("cursor") ? page({ next: 1 }, 2) : page("n", 1),
    isList: true,
    error: "InvalidResponseError",
    sent: ["GET /drifted", "GET /drifted?cursor=n"]
  },
  // A read
  endpoint("POST", "/prices", [1.5, "2.00000000000000000001"], {
    body: [{ token: "0x1" }],
    retry: "always",
    earlier: [unavailable],
    reply: { body: "[1.5,2.00000000000000000001]" }
  }),
  // Updates
  endpoint("POST", "/alerts", { id: "a/1" }, {
    body: { above: "5" },
    reply: { status: 201, ...json({ id: "a/1" }) }
  }),
  endpoint("POST", "/alerts/1/test", null, { reply: { status: 202 } }),
  endpoint("PUT", "/order", ["b", "a"], { body: ["b", "a"] }),
  endpoint("PATCH", "/alerts/1", { name: "ä" }, { body: { name: "ä" } }),
  endpoint("DELETE", "/alerts/1", null, { reply: { status: 204 } }),
  endpoint("DELETE", "/alerts", null, { reply: {} }),
  // Nothing but a 429 says that an update was not applied.
  endpoint("POST", "/throttled", { ok: true }, { body: {}, earlier: [throttled] }),
  endpoint("POST", "/unavailable", null, { body: {}, reply: unavailable, error: "ServerError" }),
  endpoint("PUT", "/truncated", null, { body: {}, reply: truncated, error: "InvalidResponseError" })
]

/** Paths that would leave the base URL, for the host of another service. `core` tests more of them. */
export const escapingPaths = (host: string): ReadonlyArray<string> => [
  `http://${host}/x`,
  `//${host}/x`,
  `/\\${host}/x`,
  `@${host}/x`,
  "/count/../../../../admin",
  "/%2e%2e/%2E%2E/%2e%2e/admin",
  "/..%2f..%2f..%2fadmin",
  "/.\t./.\n./admin",
  "/count?x=1",
  "/count#x",
  ""
]

export interface OtherEndpoints {
  /** The base URL, with a path that no request may leave. */
  readonly baseUrl: string
  /** The host of another service. */
  readonly elsewhere: string
  /** The requests to the service so far, as in `EndpointCase.sent`. A path that is not below the base URL is kept whole. */
  readonly sent: ReadonlyArray<string>
  /** The API keys of all requests; null without one. */
  readonly keys: ReadonlyArray<string | null>
  /** The requests to the other service. */
  readonly sentElsewhere: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** Starts the service, and another one to which no request may go. */
export const start = async (): Promise<OtherEndpoints> => {
  const prefix = "/team/api/v2.2"
  const sent: Array<string> = []
  const keys: Array<string | null> = []
  const sentElsewhere: Array<string> = []
  const scope = Effect.runSync(Scope.make())
  const started = (server: Http.Server) => Effect.runPromise(Scope.extend(listen(server), scope))
  const elsewhere = await started(Http.createServer((request, response) => {
    sentElsewhere.push(`${request.method} ${request.url}`)
    response.end("{}")
  }))
  const host = await started(Http.createServer(async (request, response) => {
    const { headers, method = "GET", url = "" } = request
    const body = await text(request)
    const target = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url
    const line = `${method} ${target}${body === "" ? "" : ` ${body}`}`
    sent.push(line)
    keys.push(headers["x-api-key"]?.toString() ?? null)
    const [path, query] = target.split("?")
    const found = cases.find(({ request }) => (request.method ?? "GET") === method && request.path === path)
    const count = sent.filter((other) => other === line).length
    const reply = found?.reply({ query: new URLSearchParams(query), body, count, elsewhere })
    response.writeHead(reply?.status ?? (reply === undefined ? 404 : 200), reply?.headers)
    response.end(reply?.body)
  }))
  return {
    baseUrl: `http://${host}/team`,
    elsewhere,
    sent,
    keys,
    sentElsewhere,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
