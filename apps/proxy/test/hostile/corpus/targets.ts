/** Ambiguous paths and queries. */
import { sampleRequests } from "../../support/sampleRequests.ts"
import {
  answered,
  anyOf,
  type CorpusEntry,
  entry,
  family,
  forwarded,
  type Outcome,
  rejected,
  request,
  streamStatusPath,
  transfers,
  update
} from "./entry.ts"

/** Path segments that change the path if they are resolved: alone, or after another segment. */
const segments = [
  ["..", ".", "%2e%2e", "%2E%2e", ".%2e", "%2e", "%2e%2e%2f", "..%2f..%2fadmin", "..%5c..%5cadmin", ""],
  ["a%2fb", "a%5cb", "%00", "a%00", "%0d%0aX:%20y", "%0a", "%09", "%1b", "%7f", "%c2%80", "%c2%85"],
  ["%c0%ae%c0%ae", "%c0%af", "%e0%80%af", "%f0%80%80%af", "%fc%80%80%80%80%af", "%ed%a0%80", "%ff", "%fe%ff"],
  ["%", "%2", "%zz", "%u002e", "%%32%65"]
].flat()

/** Segments that other parsers may read differently. They are forwarded only where a segment may have any value. */
const oddSegments = [
  ["...", "....", "%252e%252e", "%252f", "%255c", "%25252f", "..;", "..;a=b", ";a=b", "%3b", "a;b", "%20"],
  ["%e2%80%a4%e2%80%a4", "%ef%bc%8e%ef%bc%8e", "%ef%bc%8f", "%e2%88%95", "%ef%bc%bc", "%e2%80%ae"],
  ["+", "~", "$", "@evil", ":80", "*", "(a)", "'", "!", ",", "=", "&", "%22", "%3cscript%3e", "%23", "%3f"],
  ["%40evil", "%f0%9f%98%80", "__proto__", "constructor", "0x", "-1", "1e3", "a".repeat(300)]
].flat()

/** Text after a path. */
const tails = [
  ["/", "//", "/.", "/..", "/../transfers", "/%2e%2e/transfers", "/./", ";a=b", "\\", "/\\.."],
  ["%00", "%00.json", "%20", "%0d%0a", "%23", "%3f", "%2f", "%", "#fragment", "#"],
  ["\xe9", "\xc3\xa9", "\xff", "\x7f", "\"", "<", "|", "^", "`", "{}"]
].flat()

/** Text after a path that makes another one, which passes through: see `passThrough.test.ts`. No list has it. */
const otherPathTails = [".json", "~", "%2e"]

/** Characters that end a request line or are not allowed in a target. */
const splitting = [" ", "\r\nX: y", "\n", "\r", "\x00", "\t", "\x0b", "\x1b"]

/** Valid queries, and how the proxy forwards them. */
const queries: Readonly<Record<string, string>> = {
  "a=%0d%0aX-Injected:%20y": "a=%0D%0AX-Injected%3A%20y",
  "a=%00": "a=%00",
  "a=1&a=2&a=3": "a=1&a=2&a=3",
  "__proto__[a]=b&constructor=c": "__proto__%5Ba%5D=b&constructor=c",
  "a=b?c=d": "a=b%3Fc%3Dd",
  "a=../../admin": "a=..%2F..%2Fadmin",
  "a=b;c=d": "a=b%3Bc%3Dd",
  "a+b=c+d": "a%20b=c%20d",
  "a=%2B": "a=%2B",
  "a=\"<>{}|^`": "a=%22%3C%3E%7B%7D%7C%5E%60",
  "=": "=",
  "&&&": "",
  "a": "a=",
  "a==": "a=%3D",
  "a=%F0%9F%98%80": "a=%F0%9F%98%80",
  "a=%26b=c": "a=%26b%3Dc",
  "a=%2523": "a=%2523",
  "cursor=a%0d%0aX:%20y": "cursor=a%0D%0AX%3A%20y",
  "cursor=../../admin?a=b": "cursor=..%2F..%2Fadmin%3Fa%3Db",
  "chain=evil": "chain=evil",
  "chain=..%2f": "chain=..%2F",
  "chain=../../admin?a=b": "chain=..%2F..%2Fadmin%3Fa%3Db",
  "chain=a%0d%0aX:%20y": "chain=a%0D%0AX%3A%20y",
  "chain=%00": "chain=%00",
  "chain=a%26limit=2": "chain=a%26limit%3D2",
  "chain=__proto__": "chain=__proto__"
}

/** Names of parameters that may contain a token. */
const tokenNames = [
  ["api_key", "apikey", "api-key", "API_KEY", "ApiKey", "x-api-key", "X_API_Key", "api%5fkey", "api%2Dkey"],
  ["token", "TOKEN", "x-token", "%74oken", "access_token", "access-token", "accesstoken", "auth_token"],
  ["authorization", "x_auth_token"]
].flat()

/** Queries that the proxy rejects. */
const rejectedQueries = [
  ["a=%", "a=%zz", "%=a", "a=%ff", "a=%c0%ae", "a=%ed%a0%80", "a=\\", "a=b#c", "a=\xe9"],
  ["limit=1&limit=2", "limit=-1", "limit=1e9", "limit=%00", "limit[]=1&limit[]=2"],
  ["chain=polygn", "chain=eth&chain=polygon", "cursor=a&cursor=b"],
  tokenNames.map((name) => `${name}=a`)
].flat()

/** Returns the target with another last variable segment. */
const withSegment = (path: string, segment: string): string => {
  const [plain = "", query] = path.split("?")
  const pieces = plain.split("/")
  const place = pieces.findLastIndex((piece) => /^0x|^\d+$|^[0-9a-f-]{36}$/i.test(piece))
  return pieces.with(place, segment).join("/") + (query === undefined ? "" : `?${query}`)
}

const length = "Content-Length: <length>"

const send = (target: string, body: string | undefined) =>
  body === undefined ? request({ target }) : update([length], body, target)

const sampleTargets = Object.entries(sampleRequests)

/** A word in place of a parameter is another path of the data API: see `passThrough.test.ts`. */
const isOtherPath = (path: string, segment: string): boolean =>
  path.startsWith("/api/") && /^[a-z][a-z_-]{0,63}$/i.test(segment)

const inPlace = (prefix: string, samples: typeof sampleTargets, variants: ReadonlyArray<string>) =>
  samples.flatMap(([id, { body, path }]) =>
    family(
      `${prefix}${id} with the segment`,
      variants.filter((segment) => !isOtherPath(path, segment)),
      answered(400, 403),
      (segment) => send(prefix + withSegment(path, segment), body)
    )
  )

const get = (target: string) => request({ target })

const notFound = anyOf("400", "400 live", "403 live")

export const targets: ReadonlyArray<CorpusEntry> = [
  ...inPlace("", sampleTargets, segments),
  ...inPlace("/all", sampleTargets, segments),
  ...inPlace("", sampleTargets.filter(([id]) => id !== "updateStreamStatus"), oddSegments),
  ...["", "/all"].flatMap((prefix) => [
    ...family(
      `${prefix}: after a path`,
      prefix === "" ? tails : [...tails, ...otherPathTails],
      notFound,
      (tail) => get(prefix + transfers + tail)
    ),
    ...family(
      `${prefix}: within a path`,
      splitting,
      rejected,
      (text) => get(prefix + transfers.replace("/erc20", `${text}/erc20`))
    ),
    ...family(
      `${prefix}: a rejected query`,
      rejectedQueries,
      anyOf("400", "400 live"),
      (query) => get(`${prefix}${transfers}?${query}`)
    )
  ]),
  ...family("within a query", splitting, rejected, (text) => get(`${transfers}?a=b${text}c`)),
  ...family(
    "a whole list with an invalid filter",
    ["a=b", "from_date=tomorrow", "__proto__=a"],
    answered(400),
    (query) => get(`/all${transfers}?${query}`)
  ),
  ...family(
    "before a path",
    [
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
    ],
    notFound,
    (start) => get(start + transfers)
  ),
  ...family(
    "an unknown path",
    [
      ["/api/v2", "/api/v2.2", "/api/v2.2/", "/api/V2.2/x", "/v1", "/v1/", "/all", "/all/", "/all//"],
      ["/streams", "/testnet/v1/transactions/by_hash/0x1", "/transactions/by_hash/", "/.well-known/"],
      ["/.git/config", "/.env", "/admin", "/metrics", "/status.json", "/usage", "/purge"]
    ].flat(),
    answered(403),
    get
  ),
  ...family(
    "a long target",
    [9000, 15_000],
    answered(414),
    (size) => get(`${transfers}?a=${"a".repeat(size)}`)
  ),
  ...family(
    "a target longer than the header limit",
    [20_000, 1_000_000],
    anyOf("431", ""),
    (size) => get(`${transfers}?a=${"a".repeat(size)}`)
  ),
  entry(
    "many parameters",
    forwarded(`GET ${transfers}?${Array.from({ length: 1000 }, () => "a=").join("&")}`),
    get(`${transfers}?${"&".repeat(2000)}${"a=&".repeat(1000)}`)
  ),
  ...Object.entries(queries).flatMap(([query, sent]) =>
    ["", ...(/^(cursor|chain)=/.test(query) ? ["/all"] : [])].map((prefix) =>
      entry(
        `${prefix}: a forwarded query: ${query}`,
        forwarded(`GET ${transfers}${sent === "" ? "" : `?${sent}`}`),
        get(`${prefix}${transfers}?${query}`)
      )
    )
  ),
  entry(
    "a path with unnecessary escapes, which is normalized",
    forwarded(),
    get(transfers.replace("/erc20/transfers", "/%65rc20/tr%61nsfers"))
  ),
  entry(
    "an update whose body contains a path parameter",
    forwarded(`POST ${streamStatusPath}`),
    send(streamStatusPath, `{"status":"paused","id":"../other","__proto__":{"a":1},"tag":"x"}`)
  ),
  ...family(
    "an invalid body",
    [
      ...["", "null", "[]", "1", "\"a\"", "{", "{}", "\xff\xfe", "\xef\xbb\xbf{}"],
      ...["1", "\"evil\"", "[\"paused\"]", "[".repeat(30_000) + "]".repeat(30_000)].map((value) =>
        `{"status":${value}}`
      )
    ],
    answered(400),
    (body) => send(streamStatusPath, body)
  ),
  entry("a body that is too long", answered(413), send(streamStatusPath, "x".repeat(70_000))),
  entry(
    "a valid request after a valid one",
    anyOf("403 live live"),
    (context) => Buffer.concat(["/nowhere", "/livez"].map((target) => get(target)(context)))
  )
]

/** The id of a stream may have any value; it is forwarded as one segment. */
export const streams: ReadonlyArray<CorpusEntry> = family(
  "a stream with the id",
  oddSegments,
  (segment): Outcome =>
    /%(?:2f|5c|2e)/i.test(decodeURIComponent(segment))
      ? answered(400)
      : forwarded(`POST /streams/evm/${encodeURIComponent(decodeURIComponent(segment))}/status`),
  (segment) => send(`/streams/evm/${segment}/status`, `{"status":"paused"}`)
)
