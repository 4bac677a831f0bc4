/**
 * A service with endpoints that no operation describes, on the loopback interface, and requests to each of them with what every
 * door returns: layers, the promise client and the command line.
 */
import type { ApiRequest } from "@blockquarry/core/ApiRequest"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { OperationError } from "@blockquarry/core/OperationError"
import { once } from "node:events"
import * as Http from "node:http"

/** The API key, which occurs in no other text. */
export const key = "CANARY-e41d07b3aa"

/** A request, and what it returns. */
export interface EndpointCase {
  readonly name: string
  readonly request: ApiRequest
  /** The output; for a list, all records. */
  readonly output?: JsonValue
  readonly isList?: boolean
  /** The tag of the error, if it fails. */
  readonly error?: OperationError["_tag"]
  /** The requests that the service gets, as `METHOD target body`. */
  readonly sent: ReadonlyArray<string>
}

const amount = 2n ** 256n - 1n
const wallet = `/wallets/0x${"ab".repeat(20)}`

const read = (path: string, output: JsonValue, attempts = 1): EndpointCase => ({
  name: `GET ${path.replace(/0x\w+/, ":address")}`,
  request: { path },
  output,
  sent: Array.from({ length: attempts }, () => `GET ${path}`)
})

const write = (
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body: unknown,
  outcome: Pick<EndpointCase, "output" | "error">,
  others: Pick<ApiRequest, "retry" | "query"> & { readonly attempts?: number } = {}
): EndpointCase => {
  const { attempts = 1, ...options } = others
  const text = body === undefined ? "" : ` ${JSON.stringify(body)}`
  return {
    name: `${method} ${path}`,
    request: { method, path, body, ...options },
    ...outcome,
    sent: Array.from({ length: attempts }, () => `${method} ${path}${text}`)
  }
}

export const cases: ReadonlyArray<EndpointCase> = [
  read(`${wallet}/net-worth`, { total: String(amount), share: 0.25, of: [String(2n ** 64n), 7, null] }),
  read(`${wallet}/balance`, { balance: String(amount) }),
  read("/tokens/trending", [{ symbol: "A" }, { symbol: "😀" }]),
  read("/tokens/%F0%9F%98%80%2Fb", { symbol: "😀/b" }),
  read("/count", 12),
  read("/nothing", null),
  // The first response is a 429, a 503, or a page that breaks off.
  read("/throttled", { ok: true }, 2),
  read("/unavailable", { ok: true }, 2),
  read("/truncated", { ok: true }, 2),
  { ...read("/missing", null), error: "NotFoundError" },
  { ...read("/html", null, 3), error: "InvalidResponseError" },
  { ...read("/redirect", null), error: "InvalidResponseError" },
  {
    name: "GET /search with parameters of all kinds",
    request: { path: "/search", query: { q: "a&b ä", ids: [1, amount], flag: true, none: undefined } },
    output: ["a&b ä", "1", String(amount), "true"],
    sent: [`GET /search?q=a%26b%20%C3%A4&ids%5B%5D=1&ids%5B%5D=${amount}&flag=true`]
  },
  {
    name: "GET /approvals, a list by cursor with a page that breaks off",
    request: { path: "/approvals", query: { limit: 2 } },
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
    isList: true,
    output: ["a", "b"],
    sent: [`POST /query {"sql":"select"}`, `POST /query {"sql":"select","cursor":"n"}`]
  },
  {
    name: "GET /drifted, a list whose second page has an object as its cursor",
    request: { path: "/drifted" },
    isList: true,
    error: "InvalidResponseError",
    sent: ["GET /drifted", "GET /drifted?cursor=n"]
  },
  // Reads
  write(
    "POST",
    "/prices",
    [{ token: "0x1" }, { token: "0x2" }],
    { output: [1.5, "2.00000000000000000001"] },
    {
      retry: "always",
      attempts: 2
    }
  ),
  // Updates
  write("POST", "/alerts", { above: "5" }, { output: { id: "a/1" } }),
  write("POST", "/alerts/1/test", undefined, { output: null }),
  write("PUT", "/alerts/1", { above: null }, { output: { above: null } }),
  write("PUT", "/order", ["b", "a"], { output: ["b", "a"] }),
  write("PATCH", "/alerts/1", { name: "ä" }, { output: { name: "ä" } }),
  write("DELETE", "/alerts/1", undefined, { output: null }),
  write("DELETE", "/alerts", undefined, { output: null }),
  // Nothing but a 429 says that an update was not applied.
  write("POST", "/throttled", {}, { output: { ok: true } }, { attempts: 2 }),
  write("POST", "/unavailable", {}, { error: "ServerError" }),
  write("PUT", "/truncated", {}, { error: "InvalidResponseError" })
]

/** Paths that would leave the base URL, for the host of another service. */
export const escapingPaths = (host: string): ReadonlyArray<string> => [
  `http://${host}/x`,
  `//${host}/x`,
  `/\\${host}/x`,
  `\\\\${host}\\x`,
  `@${host}/x`,
  "/../../../admin",
  "/count/../../../../admin",
  "/%2e%2e/%2E%2E/%2e%2e/admin",
  "/.%2e/admin",
  "/%252e%252e/admin",
  "/..%2f..%2f..%2fadmin",
  "/..\\..\\..\\admin",
  "/..%5c..%5cadmin",
  "/..;/admin",
  "/.\t./.\n./admin",
  "/count?x=1",
  "/count#x",
  "count",
  ""
]

interface Reply {
  readonly status?: number
  /** The text of the body. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Reached = Readonly<Record<"method" | "path" | "body", string>> & {
  readonly query: URLSearchParams
  /** How often the same request has arrived, this one included. */
  readonly count: number
  readonly elsewhere: string
}

const json = (document: unknown): Reply => ({ body: JSON.stringify(document) })

const page = (cursor: unknown, ...result: ReadonlyArray<unknown>): Reply => json({ cursor, result })

const endpoints: Readonly<Record<string, (request: Reached) => Reply>> = {
  [`GET ${wallet}/net-worth`]: () => ({
    body: `{"total":${amount},"share":0.25,"of":[${2n ** 64n},7,null]}`
  }),
  [`GET ${wallet}/balance`]: () => json({ balance: String(amount) }),
  "GET /tokens/trending": () => json([{ symbol: "A" }, { symbol: "😀" }]),
  "GET /tokens/%F0%9F%98%80%2Fb": () => json({ symbol: "😀/b" }),
  "GET /count": () => json(12),
  "GET /nothing": () => json(null),
  "GET /throttled": ({ count }) =>
    count === 1 ? { status: 429, headers: { "retry-after": "0.02" } } : json({ ok: true }),
  "POST /throttled": ({ count }) =>
    count === 1 ? { status: 429, headers: { "retry-after": "0.02" } } : json({ ok: true }),
  "GET /unavailable": ({ count }) => count === 1 ? { status: 503 } : json({ ok: true }),
  "POST /unavailable": () => ({ status: 503 }),
  "GET /truncated": ({ count }) => count === 1 ? { body: "{\"ok\":tr" } : json({ ok: true }),
  "PUT /truncated": () => ({ body: "{\"ok\":tr" }),
  "GET /html": () => ({ body: "<html>" }),
  "GET /redirect": ({ elsewhere }) => ({ status: 302, headers: { location: `${elsewhere}/x` } }),
  "GET /search": ({ query }) =>
    json([query.get("q"), ...query.getAll("ids[]"), query.get("flag"), ...query.getAll("none")]),
  "GET /approvals": ({ count, query }) => {
    switch (query.get("cursor")) {
      case null:
        return { body: `{"cursor":"b=/1","result":[{"value":${amount}},1],"new":{}}` }
      case "b=/1":
        return count === 1 ? { body: "{\"cursor\":7,\"result\":[2" } : page(7, 2)
      default:
        return page("", 3)
    }
  },
  "POST /query": ({ body }) => body.includes("cursor") ? page(null, "b") : page("n", "a"),
  "GET /drifted": ({ query }) => query.has("cursor") ? page({ next: 1 }, 2) : page("n", 1),
  "POST /prices": ({ count }) => count === 1 ? { status: 503 } : { body: "[1.5,2.00000000000000000001]" },
  "POST /alerts": () => ({ status: 201, ...json({ id: "a/1" }) }),
  "POST /alerts/1/test": () => ({ status: 202 }),
  "PUT /alerts/1": ({ body }) => ({ body }),
  "PUT /order": ({ body }) => ({ body }),
  "PATCH /alerts/1": ({ body }) => ({ body }),
  "DELETE /alerts/1": () => ({ status: 204 }),
  "DELETE /alerts": () => ({})
}

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
  const other = Http.createServer((request, response) => {
    sentElsewhere.push(`${request.method} ${request.url}`)
    response.end("{}")
  })
  const elsewhere = await listen(other)
  const service = Http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      const target = request.url?.startsWith(`${prefix}/`) === true
        ? request.url.slice(prefix.length)
        : request.url ?? ""
      const line = `${request.method} ${target}${body === "" ? "" : ` ${body}`}`
      sent.push(line)
      keys.push(request.headers["x-api-key"]?.toString() ?? null)
      const [path = "", query] = target.split("?")
      const reply = endpoints[`${request.method} ${path}`]?.({
        method: request.method ?? "",
        path,
        query: new URLSearchParams(query),
        body,
        count: sent.filter((other) => other === line).length,
        elsewhere: `http://${elsewhere}`
      }) ?? { status: 404, ...json({ message: "no such endpoint" }) }
      response.writeHead(reply.status ?? 200, reply.headers)
      response.end(reply.body)
    })
  })
  const host = await listen(service)
  return {
    baseUrl: `http://${host}/team`,
    elsewhere,
    sent,
    keys,
    sentElsewhere,
    close: async () => {
      await Promise.all([service, other].map(async (server) => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      }))
    }
  }
}

const listen = async (server: Http.Server): Promise<string> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`
}
