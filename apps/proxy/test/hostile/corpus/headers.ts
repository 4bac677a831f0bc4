/** Malformed, duplicate, spoofed and oversized headers; hosts and tokens. */
import { bytes } from "../rawHttp.ts"
import {
  connectionContinues,
  type CorpusEntry,
  type EntryContext,
  family,
  rejectedAndClosed,
  request,
  transfers
} from "./entry.ts"

/** Invalid header lines. */
const broken: ReadonlyArray<string> = [
  "no colon",
  ": no name",
  " : space for a name",
  "X : space before the colon",
  "X\t: tab before the colon",
  "X Y: space in the name",
  "X\x00Y: NUL in the name",
  "X\x0bY: control in the name",
  "X\x7fY: delete in the name",
  "X\u00e9: beyond ASCII in the name",
  "X(Y): separators in the name",
  "X@Y: separators in the name",
  "X/Y: separators in the name",
  "X[Y]: separators in the name",
  "X{Y}: separators in the name",
  "\"X\": quoted name",
  "X: NUL \x00 in the value",
  "X: control \x01 in the value",
  "X: escape \x1b[31m in the value",
  "X: delete \x7f in the value",
  "X: vertical tab \x0b in the value",
  "X: bare CR \r in the value",
  "X: bare CR at the end\r",
  "X: bare LF \n Y: in the value",
  "X: bare LF\nY: between headers",
  "X: LF twice\n\nGET /nowhere HTTP/1.1",
  "X: folded\r\n on",
  "X: folded\r\n\ton",
  " X: folded from the start",
  "\tX: folded from the start",
  "X: y\r\n\x00: z"
]

const harmless: ReadonlyArray<string> = [
  "X: caf\u00e9",
  "X: \xff\xfe",
  "X: tab\tinside",
  "X:no space",
  "X:",
  "X:   many   spaces   ",
  "!#$%&'*+.^_`|~: every symbol that a name may contain",
  "X: a\r\nX: b\r\nx: c",
  "__proto__: polluted",
  "constructor: polluted",
  "hasOwnProperty: polluted",
  "toString: polluted",
  "Cookie: a=b\r\nCookie: c=d",
  "Set-Cookie: a=b\r\nSet-Cookie: c=d",
  "X-Forwarded-For: 127.0.0.1, evil\r\nX-Forwarded-For: ::1",
  "X-Forwarded-Host: evil",
  "X-Forwarded-Proto: https",
  "Forwarded: for=127.0.0.1;host=evil",
  "X-Original-URL: /admin",
  "X-Rewrite-URL: /admin",
  "X-HTTP-Method-Override: DELETE",
  "Range: bytes=0-10",
  "If-Match: \"a\"",
  "If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT",
  "Max-Forwards: 0",
  "Via: 1.1 evil",
  "Connection: x-api-key, host",
  "Accept-Encoding: gzip;q=1e309, br;q=-1, *;q=NaN",
  "Trailer: X-API-Key",
  "TE: trailers",
  "Keep-Alive: timeout=99999999, max=0",
  "X-Request-Id: a b",
  "X-Request-Id: <script>",
  `X-Request-Id: ${"a".repeat(65)}`,
  "X-Request-Id: a\r\nX-Request-Id: b",
  "X-Request-Id: \"},{\"level\":\"error\"",
  "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
]

/** Returns a valid request with other Host lines. */
const hosts = (...lines: ReadonlyArray<string>) => ({ required }: EntryContext): Buffer =>
  bytes(
    `GET ${transfers} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}${
      required.replace("Host: localhost\r\n", "")
    }\r\n`
  )

export const headers: ReadonlyArray<CorpusEntry> = [
  ...family(
    "an invalid line",
    broken,
    (line) => ({ bytes: request({ headers: [line] }), expectedResponses: rejectedAndClosed })
  ),
  ...family("an invalid line before all headers", broken, (line) => ({
    bytes: ({ required }) => bytes(`GET ${transfers} HTTP/1.1\r\n${line}\r\n${required}\r\n`),
    expectedResponses: rejectedAndClosed
  })),
  ...family("a header without effect", harmless, (line) => ({
    bytes: request({ headers: [line] }),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`GET ${transfers} HTTP/1.1`]
  })),
  { name: "no Host", bytes: hosts(), expectedResponses: rejectedAndClosed },
  ...family("two hosts", ["localhost", "evil", "127.0.0.1", ""], (second) => ({
    bytes: hosts("Host: localhost", `Host: ${second}`),
    expectedResponses: rejectedAndClosed
  })),
  ...family("two hosts, the foreign one first", ["evil", ""], (first) => ({
    bytes: hosts(`Host: ${first}`, "Host: localhost"),
    expectedResponses: rejectedAndClosed
  })),
  {
    name: "a space after the name Host",
    bytes: hosts("Host : localhost"),
    expectedResponses: rejectedAndClosed
  },
  { name: "a folded Host", bytes: hosts("Host:\r\n localhost"), expectedResponses: rejectedAndClosed },
  ...family("too many headers", [10_000, 100_000], (count) => ({
    bytes: request({ headers: Array.from({ length: count }, (_, index) => `X-${index}: y`) }),
    expectedResponses: ["431", ""]
  })),
  ...family("a header value of many bytes", [20_000, 1_000_000], (count) => ({
    bytes: request({ headers: [`X: ${"y".repeat(count)}`] }),
    expectedResponses: ["431", ""]
  })),
  ...family("a header name of many bytes", [20_000, 1_000_000], (count) => ({
    bytes: request({ headers: [`${"x".repeat(count)}: y`] }),
    expectedResponses: ["431", ""]
  })),
  {
    name: "more headers than the parser keeps",
    bytes: request({ headers: Array.from({ length: 2100 }, () => "a:b") }),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`GET ${transfers} HTTP/1.1`]
  }
]

/** Host names that reach an anonymous proxy only by DNS rebinding. */
export const foreignHosts: ReadonlyArray<CorpusEntry> = family(
  "Host",
  [
    "evil",
    "evil.example:8650",
    "localhost.evil.example",
    "evil.localhost",
    "localhost/evil",
    "localhost@evil",
    "evil@localhost",
    "evil:80@127.0.0.1",
    "localhost:80@evil",
    "localhost:8650/evil",
    "localhost:port",
    "localhost:80:80",
    "localhost\t.evil",
    "localhost, evil",
    "127.0.0.1.evil.example",
    "127.0.0.1/evil",
    "[::1].evil",
    "[::1",
    "::1]",
    "[::1]:x",
    "[v1.fe]",
    "0x7f000001",
    "2130706433",
    "127.1",
    "0177.0.0.1",
    "\xef\xbd\x8cocalhost",
    "localhost%00",
    "localhost#",
    "localhost?",
    "localhost\\evil",
    "*",
    "",
    "."
  ],
  (host) => ({ bytes: hosts(`Host: ${host}`), expectedResponses: [...connectionContinues(421), "400"] })
)

/** Hosts that a proxy with anonymous access accepts. */
export const ownHosts: ReadonlyArray<CorpusEntry> = family(
  "Host",
  [
    "localhost",
    "LOCALHOST:8650",
    "localhost:",
    "127.0.0.1",
    "127.0.0.1:1",
    "[::1]",
    "[::1]:8650",
    "10.0.0.1"
  ],
  (host) => ({
    bytes: hosts(`Host: ${host}`),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`GET ${transfers} HTTP/1.1`]
  })
)

/** Requests that contain the valid token, but not in a valid form. */
export const invalidTokens = (token: string): ReadonlyArray<CorpusEntry> =>
  family(
    "an invalid token",
    [
      "",
      "X-API-Key: ",
      "X-API-Key: wrong",
      `X-API-Key: ${token} `.repeat(2),
      `X-API-Key: ${token}\r\nX-API-Key: ${token}`,
      `X-API-Key: wrong\r\nX-API-Key: ${token}`,
      `X-API-Key: ${token.toUpperCase()}`,
      `X-API-Key: ${token.slice(0, -1)}`,
      `X-API-Key: ${token}a`,
      `X-API-Key: "${token}"`,
      `X-API-Key: Bearer ${token}`,
      `X-API-Key: ${encodeURIComponent(token).replaceAll("-", "%2d")}`,
      `X-API-Key: ${Buffer.from(token).toString("base64")}`,
      `X_API_Key: ${token}`,
      `X-API-Keys: ${token}`,
      `API-Key: ${token}`,
      `Authorization: ${token}`,
      `Authorization: Basic ${token}`,
      `Authorization: Basic ${Buffer.from(`:${token}`).toString("base64")}`,
      `Authorization: Bearer`,
      `Authorization: Bearer${token}`,
      `Authorization: Bearer ${token} ${token}`,
      `Authorization: Bearer "${token}"`,
      `Authorization: Bearer wrong\r\nAuthorization: Bearer ${token}`,
      `Authorization: Token ${token}`,
      `Proxy-Authorization: Bearer ${token}`,
      `Cookie: X-API-Key=${token}; token=${token}`,
      `Connection: ${token}`,
      `User-Agent: ${token}`,
      `Referer: http://localhost/?token=${token}`
    ],
    (line) => ({
      bytes: () =>
        bytes(`GET ${transfers} HTTP/1.1\r\nHost: localhost\r\n${line === "" ? "" : `${line}\r\n`}\r\n`),
      expectedResponses: connectionContinues(401)
    })
  )
