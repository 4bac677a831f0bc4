/** Ambiguous paths and queries. */
import { sampleRequests } from "../../support/sampleRequests.ts"
import { bytes } from "../rawHttp.ts"
import {
  connectionContinues,
  type CorpusEntry,
  family,
  rejectedAndClosed,
  request,
  streamStatusPath,
  transfers
} from "./entry.ts"

/** Path segments that change the path if they are resolved: alone, or after another segment. */
const segments: ReadonlyArray<string> = [
  "..",
  ".",
  "%2e%2e",
  "%2E%2e",
  ".%2e",
  "%2e",
  "%2e%2e%2f",
  "..%2f..%2fadmin",
  "..%5c..%5cadmin",
  "a%2fb",
  "a%5cb",
  "%00",
  "a%00",
  "%0d%0aX:%20y",
  "%0a",
  "%09",
  "%1b",
  "%7f",
  "%c2%80",
  "%c2%85",
  "%c0%ae%c0%ae",
  "%c0%af",
  "%e0%80%af",
  "%f0%80%80%af",
  "%fc%80%80%80%80%af",
  "%ed%a0%80",
  "%ff",
  "%fe%ff",
  "%",
  "%2",
  "%zz",
  "%u002e",
  "%%32%65",
  ""
]

/** Segments that other parsers may read differently. They are forwarded only where a segment may have any value. */
const oddSegments: ReadonlyArray<string> = [
  "...",
  "....",
  "%252e%252e",
  "%252f",
  "%255c",
  "%25252f",
  "..;",
  "..;a=b",
  ";a=b",
  "%3b",
  "a;b",
  "%e2%80%a4%e2%80%a4",
  "%ef%bc%8e%ef%bc%8e",
  "%ef%bc%8f",
  "%e2%88%95",
  "%ef%bc%bc",
  "%20",
  "+",
  "~",
  "$",
  "@evil",
  ":80",
  "*",
  "(a)",
  "'",
  "!",
  ",",
  "=",
  "&",
  "%22",
  "%3cscript%3e",
  "%23",
  "%3f",
  "%40evil",
  "%e2%80%ae",
  "%f0%9f%98%80",
  "__proto__",
  "constructor",
  "0x",
  "-1",
  "1e3",
  "a".repeat(300)
]

/** Replaces the last variable segment of a path. */
const withSegment = (path: string, segment: string): string => {
  const [plain = "", query] = path.split("?")
  const pieces = plain.split("/")
  const place = pieces.findLastIndex((piece) => /^0x|^\d+$|^[0-9a-f-]{36}$/i.test(piece))
  return pieces.with(place, segment).join("/") + (query === undefined ? "" : `?${query}`)
}

const sampleTargets = Object.entries(sampleRequests).flatMap(([id, sample]) =>
  sample === undefined ? [] : [{ id, ...sample }]
)

const send = ({ body, target }: { readonly body: string | undefined; readonly target: string }) =>
  request(
    body === undefined
      ? { target }
      : {
        method: "POST",
        target,
        headers: ["Content-Type: application/json", `Content-Length: ${body.length}`],
        body
      }
  )

const inPlace = (prefix: string) =>
  sampleTargets.flatMap(({ body, id, path }) =>
    family(`${prefix}${id} with the segment`, segments, (segment) => ({
      bytes: send({ target: prefix + withSegment(path, segment), body }),
      expectedResponses: connectionContinues(400, 404)
    }))
  )

const oddInPlace = sampleTargets.filter(({ id }) => id !== "updateStreamStatus").flatMap((
  { body, id, path }
) =>
  family(`${id} with the segment`, oddSegments, (segment) => ({
    bytes: send({ target: withSegment(path, segment), body }),
    expectedResponses: connectionContinues(400, 404)
  }))
)

/** Text after a path. */
const tails: ReadonlyArray<string> = [
  "/",
  "//",
  "/.",
  "/..",
  "/../transfers",
  "/%2e%2e/transfers",
  "/./",
  ";a=b",
  "%00",
  "%00.json",
  "%20",
  "%0d%0a",
  "%23",
  "%3f",
  "%2f",
  "%2e",
  ".json",
  "~",
  "\\",
  "/\\..",
  "#fragment",
  "#",
  "%",
  "\xe9",
  "\xc3\xa9",
  "\xff",
  "\x7f",
  "\"",
  "<",
  "|",
  "^",
  "`",
  "{}"
]

/** Characters that end a request line or are not allowed in a target. */
const splitting: ReadonlyArray<string> = [" ", "\r\nX: y", "\n", "\r", "\x00", "\t", "\x0b", "\x1b"]

/** Valid queries, and how the proxy forwards them. */
const queries: ReadonlyArray<readonly [query: string, sent: string]> = [
  ["a=%0d%0aX-Injected:%20y", "a=%0D%0AX-Injected%3A%20y"],
  ["a=%00", "a=%00"],
  ["a=1&a=2&a=3", "a=1&a=2&a=3"],
  ["__proto__=a&constructor=b", "__proto__=a&constructor=b"],
  ["__proto__[a]=b", "__proto__%5Ba%5D=b"],
  ["a=b?c=d", "a=b%3Fc%3Dd"],
  ["a=../../admin", "a=..%2F..%2Fadmin"],
  ["a=b;c=d", "a=b%3Bc%3Dd"],
  ["a+b=c+d", "a%20b=c%20d"],
  ["a=%2B", "a=%2B"],
  ["a=\"<>{}|^`", "a=%22%3C%3E%7B%7D%7C%5E%60"],
  ["=", "="],
  ["&&&", ""],
  ["a", "a="],
  ["a==", "a=%3D"],
  ["a=%F0%9F%98%80", "a=%F0%9F%98%80"],
  ["redirect=http://evil/", "redirect=http%3A%2F%2Fevil%2F"],
  ["a=%26b=c", "a=%26b%3Dc"],
  ["a=%2523", "a=%2523"],
  ["cursor=a%0d%0aX:%20y", "cursor=a%0D%0AX%3A%20y"],
  ["cursor=%00", "cursor=%00"],
  ["cursor=../../admin?a=b", "cursor=..%2F..%2Fadmin%3Fa%3Db"]
]

/** Queries that the proxy rejects. */
const rejectedQueries: ReadonlyArray<string> = [
  "a=%",
  "a=%zz",
  "%=a",
  "a=%ff",
  "a=%c0%ae",
  "a=%ed%a0%80",
  "a=\\",
  "a=b#c",
  "a=\xe9",
  "limit=1&limit=2",
  "limit=-1",
  "limit=1e9",
  "limit=%00",
  "limit[]=1&limit[]=2",
  "chain=evil",
  "chain=eth&chain=polygon",
  "chain=..%2f",
  "cursor=a&cursor=b",
  ...[
    "api_key",
    "apikey",
    "api-key",
    "API_KEY",
    "ApiKey",
    "x-api-key",
    "X_API_Key",
    "token",
    "TOKEN",
    "access_token",
    "access-token",
    "accesstoken",
    "auth_token",
    "authorization",
    "x-token",
    "x_auth_token",
    "%74oken",
    "api%5fkey",
    "api%2Dkey"
  ].map((name) => `${name}=a`)
]

export const targets: ReadonlyArray<CorpusEntry> = [
  ...inPlace(""),
  ...inPlace("/all"),
  ...oddInPlace,
  ...["", "/all"].flatMap((prefix) =>
    family(`${prefix}: after a path`, tails, (tail) => ({
      bytes: request({ target: `${prefix}${transfers}${tail}` }),
      expectedResponses: ["400", ...connectionContinues(400, 404)]
    }))
  ),
  ...["", "/all"].flatMap((prefix) =>
    family(`${prefix}: within a path`, splitting, (text) => ({
      bytes: request({ target: `${prefix}${transfers.replace("/erc20", `${text}/erc20`)}` }),
      expectedResponses: rejectedAndClosed
    }))
  ),
  ...family("within a query", splitting, (text) => ({
    bytes: request({ target: `${transfers}?a=b${text}c` }),
    expectedResponses: rejectedAndClosed
  })),
  ...family("a whole list with an invalid filter", [
    "a=b",
    "from_date=tomorrow",
    "__proto__=a"
  ], (query) => ({
    bytes: request({ target: `/all${transfers}?${query}` }),
    expectedResponses: connectionContinues(400)
  })),
  ...["", "/all"].flatMap((prefix) =>
    family(`${prefix}: a rejected query`, rejectedQueries, (query) => ({
      bytes: request({ target: `${prefix}${transfers}?${query}` }),
      expectedResponses: ["400", ...connectionContinues(400)]
    }))
  ),
  ...family("before a path", [
    "/",
    "//",
    "/.",
    "/./",
    "/..",
    "/%2e",
    "/%2f",
    "/\\",
    "/x",
    "/x/..",
    "/all/..",
    "/all/all",
    "/v1",
    "/API"
  ], (start) => ({
    bytes: request({ target: start + transfers }),
    expectedResponses: ["400", ...connectionContinues(400, 404)]
  })),
  ...family("an unknown path", [
    "/api/v2",
    "/api/v2.2",
    "/api/v2.2/",
    "/api/V2.2/x",
    "/v1",
    "/v1/",
    "/all",
    "/all/",
    "/all//",
    "/streams",
    "/testnet/v1/transactions/by_hash/0x1",
    "/transactions/by_hash/",
    "/.well-known/",
    "/.git/config",
    "/.env",
    "/admin",
    "/metrics",
    "/status.json",
    "/usage",
    "/purge"
  ], (target) => ({
    bytes: request({ target }),
    expectedResponses: connectionContinues(404)
  })),
  ...family("a long target", [9000, 15_000], (length) => ({
    bytes: request({ target: `${transfers}?a=${"a".repeat(length)}` }),
    expectedResponses: connectionContinues(414)
  })),
  ...family("a target longer than the header limit", [20_000, 1_000_000], (length) => ({
    bytes: request({ target: `${transfers}?a=${"a".repeat(length)}` }),
    expectedResponses: ["431", ""]
  })),
  ...family("many parameters", [2000], (count) => ({
    bytes: request({ target: `${transfers}?${"&".repeat(count)}${"a=&".repeat(count / 2)}` }),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`GET ${transfers}?${Array.from({ length: count / 2 }, () => "a=").join("&")} HTTP/1.1`]
  })),
  ...queries.flatMap(([query, sent]): ReadonlyArray<CorpusEntry> =>
    ["", ...(query.startsWith("cursor") ? ["/all"] : [])].map((prefix) => ({
      name: `${prefix}: a forwarded query: ${query}`,
      bytes: request({ target: `${prefix}${transfers}?${query}` }),
      expectedResponses: connectionContinues(200),
      upstreamRequests: [`GET ${transfers}${sent === "" ? "" : `?${sent}`} HTTP/1.1`]
    }))
  ),
  {
    name: "a path with unnecessary escapes, which is normalized",
    bytes: request({ target: transfers.replace("/erc20/transfers", "/%65rc20/tr%61nsfers") }),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`GET ${transfers} HTTP/1.1`]
  },
  {
    name: "an update whose body contains a path parameter",
    bytes: send({
      target: streamStatusPath,
      body: `{"status":"paused","id":"../other","__proto__":{"a":1},"tag":"x"}`
    }),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`POST ${streamStatusPath} HTTP/1.1`]
  },
  ...family(
    "an invalid body",
    [
      "",
      "null",
      "[]",
      "1",
      "\"a\"",
      "{",
      "{}",
      "{\"status\":1}",
      "{\"status\":\"evil\"}",
      "\xff\xfe",
      "\xef\xbb\xbf{}",
      "{\"status\":[\"paused\"]}"
    ],
    (body) => ({
      bytes: send({ target: streamStatusPath, body }),
      expectedResponses: connectionContinues(400)
    })
  ),
  {
    name: "a deeply nested body",
    bytes: send({ target: streamStatusPath, body: `{"status":${"[".repeat(30_000)}${"]".repeat(30_000)}}` }),
    expectedResponses: connectionContinues(400)
  },
  {
    name: "a body that is too long",
    bytes: send({ target: streamStatusPath, body: "x".repeat(70_000) }),
    expectedResponses: connectionContinues(413)
  },
  {
    name: "a valid request after a valid one",
    bytes: (context) =>
      Buffer.concat([
        request({ target: "/nowhere" })(context),
        bytes(""),
        request({ target: "/livez" })(context)
      ]),
    expectedResponses: ["404 live live"]
  }
]

/** The id of a stream may have any value; it is forwarded as one segment. */
export const streams: ReadonlyArray<CorpusEntry> = oddSegments.map((segment): CorpusEntry => {
  const name = decodeURIComponent(segment)
  const body = `{"status":"paused"}`
  const isTraversal = /%(?:2f|5c|2e)/i.test(name)
  return {
    name: `a stream with the id ${JSON.stringify(segment)}`,
    bytes: send({ target: `/streams/evm/${segment}/status`, body }),
    expectedResponses: isTraversal ? connectionContinues(400) : connectionContinues(200),
    ...(isTraversal
      ? {}
      : { upstreamRequests: [`POST /streams/evm/${encodeURIComponent(name)}/status HTTP/1.1`] })
  }
})
