/** Methods, versions and forms of a request line, and other protocols. */
import { bytes } from "../rawHttp.ts"
import {
  answered,
  anyOf,
  type CorpusEntry,
  entry,
  family,
  rejected,
  request,
  streamStatusPath,
  transfers
} from "./entry.ts"

/** Methods that Node parses, but the proxy rejects. */
const rejectedMethods = [
  ["PUT", "DELETE", "PATCH", "TRACE", "PURGE", "SEARCH", "M-SEARCH", "REPORT", "MERGE", "LINK"],
  ["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SUBSCRIBE", "BIND", "ACL"]
].flat()

const invalidMethods = [
  ["get", "Get", "gET", "post", "PRI", "FETCH", "DEBUG", "G", "GETT", "-", "$(reboot)", "X".repeat(10_000)],
  ["GET\tX", "GET\x00", " GET", "\tGET", "GE T", "G\u00c9T", "GET\r", "GET\n", "\x00GET", "\ufffd"]
].flat()

const versions = [
  ["HTTP/0.8", "HTTP/1.2", "HTTP/1.10", "HTTP/1", "HTTP/1.", "HTTP/.1", "HTTP/2.0", "HTTP/2", "HTTP/3.0"],
  ["HTTP/9.9", "HTTP/-1.1", "HTTP/01.1", "HTTP/1.01", "http/1.1", "HTTP 1.1", "HTTP/1.1 HTTP/1.1", "X"],
  ["HTTPS/1.1", "RTSP/1.0", "ICE/1.0", "SIP/2.0", "HTTP/1.1\x00", "HTTP/1.1;", "HTTP/1.1\tX"]
].flat()

/** Absolute targets that this server cannot have. For others see `TargetForms.test.ts`. */
const foreignTargets = [
  [
    "https://evil https://localhost http://localhost@evil http://user:password@localhost http://user@localhost",
    "ftp://evil ftp://localhost ws://localhost http:/// http://:80 http://localhost:x http://localhost:80:80",
    "http://[::1 http://[::1].x http://[localhost] http://localhost\\evil http://local|host http://%zz"
  ].flatMap((origins) => origins.split(" ")).flatMap((origin) => [origin + transfers, `${origin}/livez`]),
  ["file:///etc/passwd", "http://", "https://", "ftp://localhost"]
].flat()

/** Targets that are not paths of this server. */
const otherTargets = [
  ["http:", "http:/", "//evil"].map((origin) => origin + transfers),
  ["///evil", "?", "#", "*"].map((start) => start + transfers),
  ["javascript:alert(1)", "data:text/html,a", "evil:80", "localhost"],
  ["*", ".", "..", "./api", "@evil/", ":80/", "&", ";"]
].flat()

/** First bytes of other protocols. */
const foreign: Readonly<Record<string, string>> = {
  "an HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
  "a TLS client hello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "a".repeat(500),
  "SSH": "SSH-2.0-OpenSSH_9.6\r\n",
  "SMTP": "EHLO evil\r\nMAIL FROM:<a@evil>\r\n",
  "Redis": "*1\r\n$4\r\nPING\r\n",
  "a PROXY protocol header, version 1":
    "PROXY TCP4 10.0.0.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a PROXY protocol header, version 2":
    "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x7f\x00\x00\x01\x7f\x00\x00\x01\x00\x01\x00\x02",
  "SOCKS 5": "\x05\x01\x00",
  "an HTTP response": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  "JSON": `{"method":"GET"}\r\n\r\n`,
  "zeros": "\x00".repeat(1000),
  "all bytes": Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join(""),
  "bare LF": "GET /livez HTTP/1.1\nHost: localhost\n\n",
  "bare CR": "GET /livez HTTP/1.1\rHost: localhost\r\r",
  "LF after the request line": "GET /livez HTTP/1.1\nHost: localhost\r\n\r\n",
  "LF after the headers": "GET /livez HTTP/1.1\r\nHost: localhost\n\r\n",
  "LF at the end of the headers": "GET /livez HTTP/1.1\r\nHost: localhost\r\n\n",
  "tabs instead of spaces": "GET\t/livez\tHTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a space after the version": "GET /livez HTTP/1.1 \r\nHost: localhost\r\n\r\n",
  "no target": "GET HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "no version: HTTP/0.9": `GET ${transfers}\r\n\r\n`,
  "no version, and headers": `GET ${transfers}\r\nHost: localhost\r\n\r\n`
}

/** Paths with the methods that they do not support. */
const unsupported = [
  ...rejectedMethods.map((method) => [method, transfers] as const),
  ...[...rejectedMethods, "GET", "HEAD"].map((method) => [method, streamStatusPath] as const),
  ...["/openapi.json", `/all${transfers}`].flatMap((target) =>
    [...rejectedMethods, "POST"].map((method) => [method, target] as const)
  )
]

const to = (method: string) => (target: string) => request({ method, target })

export const methods: ReadonlyArray<CorpusEntry> = [
  ...family("an unsupported method", unsupported, answered(405), ([method, target]) => to(method)(target)),
  ...family("an invalid method", invalidMethods, rejected, (method) => request({ method })),
  ...family(
    "CONNECT to",
    ["evil:443", transfers, "/livez", "localhost:8650", "*"],
    anyOf("", "400"),
    to("CONNECT")
  ),
  ...family("an unsupported version", versions, anyOf("400", ""), (version) => request({ version })),
  ...family("an absolute target", foreignTargets, anyOf("421 live", "400"), to("GET")),
  ...family("a target that is not a path", otherTargets, anyOf("400", "400 live", "403 live"), to("GET")),
  ...family(
    "OPTIONS of",
    ["*", transfers, streamStatusPath, "/livez", `/all${transfers}`],
    answered(204),
    to("OPTIONS")
  ),
  ...family(
    "OPTIONS of an unknown target",
    [`https://evil${transfers}`, "/nowhere", "**"],
    anyOf("400 live", "403 live", "421 live", "400"),
    to("OPTIONS")
  ),
  ...Object.entries(foreign).map(([name, sent]) => entry(name, anyOf("", "400", "408"), () => bytes(sent))),
  ...family(
    "two spaces in a request line",
    ["GET  /livez HTTP/1.1", "GET /livez  HTTP/1.1"],
    anyOf("live live"),
    (line) => ({ required }) => bytes(`${line}\r\n${required}\r\n`)
  ),
  entry(
    "an HTTP/1.0 request, after which the connection is closed",
    anyOf("live"),
    request({ target: "/livez", version: "HTTP/1.0" })
  ),
  entry(
    "an HTTP/1.0 request with keep-alive",
    answered(403),
    request({ target: "/nowhere", version: "HTTP/1.0", headers: ["Connection: keep-alive"] })
  ),
  entry(
    "a connection that ends in the middle of a request",
    anyOf("", "400", "408"),
    ({ required }) => bytes(`GET ${transfers} HTTP/1.1\r\n${required}`)
  )
]
