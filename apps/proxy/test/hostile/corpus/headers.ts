/** Malformed, duplicate, spoofed and oversized headers; hosts and tokens. */
import { bytes } from "../rawHttp.ts"
import {
  answered,
  anyOf,
  type CorpusEntry,
  entry,
  type EntryContext,
  family,
  forwarded,
  rejected,
  request,
  transfers
} from "./entry.ts"

/** Invalid header lines. */
const broken: ReadonlyArray<string> = [
  ["no colon", ": no name", " : space for a name", "\"X\": quoted name", "X: y\r\n\x00: z"],
  [" ", "\t", "\x00", "\x0b", "\x7f", "\u00e9", "(", "@", "/", "[", "{"].map((inside) => `X${inside}Y: z`),
  ["X : space before the colon", "X\t: tab before the colon"],
  ["\x00", "\x01", "\x1b[31m", "\x7f", "\x0b", "\r", "\n"].map((inside) => `X: y${inside}z`),
  ["X: bare CR at the end\r", "X: LF\nY: between headers", "X: LF twice\n\nGET /nowhere HTTP/1.1"],
  ["X: folded\r\n on", "X: folded\r\n\ton", " X: folded from the start", "\tX: folded from the start"]
].flat()

const harmless: ReadonlyArray<string> = [
  ["X: caf\u00e9", "X: \xff\xfe", "X: tab\tinside", "X:no space", "X:", "X:   many   spaces   "],
  ["!#$%&'*+.^_`|~: every symbol that a name may contain", "X: a\r\nX: b\r\nx: c"],
  ["__proto__", "constructor", "hasOwnProperty", "toString"].map((name) => `${name}: polluted`),
  ["Cookie: a=b\r\nCookie: c=d", "Set-Cookie: a=b\r\nSet-Cookie: c=d"],
  ["X-Forwarded-For: 127.0.0.1, evil\r\nX-Forwarded-For: ::1", "Forwarded: for=127.0.0.1;host=evil"],
  ["X-Forwarded-Host: evil", "X-Forwarded-Proto: https", "Via: 1.1 evil", "Max-Forwards: 0"],
  ["X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-HTTP-Method-Override: DELETE"],
  ["Range: bytes=0-10", "If-Match: \"a\"", "If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT"],
  ["Connection: x-api-key, host", "Trailer: X-API-Key", "TE: trailers"],
  ["Accept-Encoding: gzip;q=1e309, br;q=-1, *;q=NaN", "Keep-Alive: timeout=99999999, max=0"],
  ["a b", "<script>", "a".repeat(65), "a\r\nX-Request-Id: b", "\"},{\"level\":\"error\""]
    .map((id) => `X-Request-Id: ${id}`),
  ["Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]
].flat()

/** Returns a valid request with other Host lines. */
const hosts = (...lines: ReadonlyArray<string>) => ({ required }: EntryContext): Buffer =>
  bytes(
    `GET ${transfers} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}${
      required.replace("Host: localhost\r\n", "")
    }\r\n`
  )

const tooLong = anyOf("431", "")

export const headers: ReadonlyArray<CorpusEntry> = [
  ...family("an invalid line", broken, rejected, (line) => request({ headers: [line] })),
  ...family(
    "an invalid line before all headers",
    broken,
    rejected,
    (line) => ({ required }) => bytes(`GET ${transfers} HTTP/1.1\r\n${line}\r\n${required}\r\n`)
  ),
  ...family("a header without effect", harmless, forwarded(), (line) => request({ headers: [line] })),
  ...family(
    "hosts",
    [
      [],
      ...["localhost", "evil", "127.0.0.1", ""].map((second) => ["Host: localhost", `Host: ${second}`]),
      ...["evil", ""].map((first) => [`Host: ${first}`, "Host: localhost"]),
      ["Host : localhost"],
      ["Host:\r\n localhost"]
    ],
    rejected,
    (lines) => hosts(...lines)
  ),
  ...family(
    "too many headers",
    [10_000, 100_000],
    tooLong,
    (count) => request({ headers: Array.from({ length: count }, (_, index) => `X-${index}: y`) })
  ),
  ...family(
    "a header value of many bytes",
    [20_000, 1_000_000],
    tooLong,
    (count) => request({ headers: [`X: ${"y".repeat(count)}`] })
  ),
  ...family(
    "a header name of many bytes",
    [20_000, 1_000_000],
    tooLong,
    (count) => request({ headers: [`${"x".repeat(count)}: y`] })
  ),
  entry(
    "more headers than the parser keeps",
    forwarded(),
    request({ headers: Array.from({ length: 2100 }, () => "a:b") })
  )
]

/** Host names that reach an anonymous proxy only by DNS rebinding. */
export const foreignHosts: ReadonlyArray<CorpusEntry> = family(
  "Host",
  [
    ["evil", "evil.example:8650", "localhost.evil.example", "evil.localhost", "127.0.0.1.evil.example"],
    ["localhost@evil", "evil@localhost", "evil:80@127.0.0.1", "localhost:80@evil"],
    [
      "localhost/evil",
      "localhost:8650/evil",
      "127.0.0.1/evil",
      "localhost#",
      "localhost?",
      "localhost\\evil"
    ],
    ["localhost:port", "localhost:80:80", "localhost\t.evil", "localhost, evil", "localhost%00"],
    ["[::1].evil", "[::1", "::1]", "[::1]:x", "[v1.fe]", "\xef\xbd\x8cocalhost", "*", "", "."],
    ["0x7f000001", "2130706433", "127.1", "0177.0.0.1"]
  ].flat(),
  anyOf("421 live", "400"),
  (host) => hosts(`Host: ${host}`)
)

/** Hosts that a proxy with anonymous access accepts. */
export const ownHosts: ReadonlyArray<CorpusEntry> = family(
  "Host",
  [
    ...["localhost", "LOCALHOST:8650", "localhost:", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8650"],
    "10.0.0.1"
  ],
  forwarded(),
  (host) => hosts(`Host: ${host}`)
)

/** Requests that contain the valid token, but not in a valid form. */
export const invalidTokens = (token: string): ReadonlyArray<CorpusEntry> => {
  const altered = [
    ["", "wrong", `${token} ${token}`, token.toUpperCase(), token.slice(0, -1), `${token}a`, `"${token}"`],
    [`Bearer ${token}`, token.replaceAll("-", "%2d"), Buffer.from(token).toString("base64")],
    [`${token}\r\nX-API-Key: ${token}`, `wrong\r\nX-API-Key: ${token}`]
  ].flat().map((value) => `X-API-Key: ${value}`)
  const authorizations = [
    [token, `Basic ${token}`, `Basic ${Buffer.from(`:${token}`).toString("base64")}`, `Token ${token}`],
    ["Bearer", `Bearer${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`],
    [`Bearer wrong\r\nAuthorization: Bearer ${token}`]
  ].flat().map((value) => `Authorization: ${value}`)
  const others = [
    ...["X_API_Key", "X-API-Keys", "API-Key", "Connection", "User-Agent"].map((name) => `${name}: ${token}`),
    `Proxy-Authorization: Bearer ${token}`,
    `Cookie: X-API-Key=${token}; token=${token}`,
    `Referer: http://localhost/?token=${token}`
  ]
  return family(
    "an invalid token",
    ["X: none", ...altered, ...authorizations, ...others],
    answered(401),
    (line) => () => bytes(`GET ${transfers} HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n`)
  )
}
