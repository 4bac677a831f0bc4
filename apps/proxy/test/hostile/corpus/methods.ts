/** Methods, versions and forms of a request line, and other protocols. */
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

/** Methods that Node parses, but the proxy rejects. */
const rejectedMethods: ReadonlyArray<string> = [
  "PUT",
  "DELETE",
  "PATCH",
  "TRACE",
  "PROPFIND",
  "PROPPATCH",
  "MKCOL",
  "COPY",
  "MOVE",
  "LOCK",
  "UNLOCK",
  "SEARCH",
  "PURGE",
  "REPORT",
  "MERGE",
  "SUBSCRIBE",
  "BIND",
  "LINK",
  "ACL",
  "M-SEARCH"
]

/** Invalid methods. */
const invalidMethods: ReadonlyArray<string> = [
  "get",
  "Get",
  "gET",
  "post",
  "PRI",
  "FETCH",
  "DEBUG",
  "G",
  "GETT",
  "GET\tX",
  "GET\x00",
  " GET",
  "\tGET",
  "GE T",
  "G\u00c9T",
  "GET\r",
  "GET\n",
  "\x00GET",
  "\ufffd",
  "-",
  "$(reboot)",
  "X".repeat(10_000)
]

const versions: ReadonlyArray<string> = [
  "HTTP/0.8",
  "HTTP/1.2",
  "HTTP/1.10",
  "HTTP/1",
  "HTTP/1.",
  "HTTP/.1",
  "HTTP/2.0",
  "HTTP/2",
  "HTTP/3.0",
  "HTTP/9.9",
  "HTTP/-1.1",
  "HTTP/01.1",
  "HTTP/1.01",
  "http/1.1",
  "HTTP 1.1",
  "HTTP/1.1 HTTP/1.1",
  "HTTPS/1.1",
  "RTSP/1.0",
  "ICE/1.0",
  "SIP/2.0",
  "HTTP/1.1\x00",
  "HTTP/1.1;",
  "HTTP/1.1\tX",
  "X"
]

/** Targets that are not paths of this server. The proxy is not a forward proxy. */
const otherTargets: ReadonlyArray<string> = [
  `http://evil${transfers}`,
  `http://localhost${transfers}`,
  `http://127.0.0.1${transfers}`,
  `HTTP://localhost${transfers}`,
  `https://evil${transfers}`,
  `http://user:password@localhost${transfers}`,
  `http://localhost@evil${transfers}`,
  `http://[::1]${transfers}`,
  `ftp://evil${transfers}`,
  `file:///etc/passwd`,
  `http:${transfers}`,
  `http:/${transfers}`,
  `http:///${transfers}`,
  `javascript:alert(1)`,
  `data:text/html,a`,
  `//evil${transfers}`,
  `///evil${transfers}`,
  `evil:80`,
  `localhost`,
  `?${transfers}`,
  `#${transfers}`,
  `*`,
  `*${transfers}`,
  `.`,
  `..`,
  `./api`,
  `@evil/`,
  `:80/`,
  `&`,
  `;`
]

/** First bytes of other protocols. */
const foreign: ReadonlyArray<readonly [name: string, sent: string]> = [
  ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"],
  ["a TLS client hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "a".repeat(500)],
  ["an SSL 2 client hello", "\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10"],
  ["SSH", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["SMTP", "EHLO evil\r\nMAIL FROM:<a@evil>\r\n"],
  ["Redis", "*1\r\n$4\r\nPING\r\n"],
  [
    "a PROXY protocol header, version 1",
    "PROXY TCP4 10.0.0.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
  ],
  [
    "a PROXY protocol header, version 2",
    "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x7f\x00\x00\x01\x7f\x00\x00\x01\x00\x01\x00\x02"
  ],
  ["SOCKS 4", "\x04\x01\x00\x50\x7f\x00\x00\x01\x00"],
  ["SOCKS 5", "\x05\x01\x00"],
  ["an HTTP response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["JSON", `{"method":"GET"}\r\n\r\n`],
  ["HTML", "<html></html>\r\n\r\n"],
  ["zeros", "\x00".repeat(1000)],
  ["all bytes", Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join("")],
  ["bare LF", "GET /livez HTTP/1.1\nHost: localhost\n\n"],
  ["bare CR", "GET /livez HTTP/1.1\rHost: localhost\r\r"],
  ["LF after the request line", "GET /livez HTTP/1.1\nHost: localhost\r\n\r\n"],
  ["LF after the headers", "GET /livez HTTP/1.1\r\nHost: localhost\n\r\n"],
  ["LF at the end of the headers", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\n"],
  ["tabs instead of spaces", "GET\t/livez\tHTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["a space after the version", "GET /livez HTTP/1.1 \r\nHost: localhost\r\n\r\n"],
  ["no target", "GET HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["only a method", "GET\r\n\r\n"],
  ["no version: HTTP/0.9", `GET ${transfers}\r\n\r\n`],
  ["no version, and headers", `GET ${transfers}\r\nHost: localhost\r\n\r\n`]
]

export const methods: ReadonlyArray<CorpusEntry> = [
  ...family(
    "a method",
    rejectedMethods,
    (method) => ({ bytes: request({ method }), expectedResponses: connectionContinues(405) })
  ),
  ...family("a method, for an update", [...rejectedMethods, "GET", "HEAD"], (method) => ({
    bytes: request({ method, target: streamStatusPath }),
    expectedResponses: connectionContinues(405)
  })),
  ...family("a method, for a page", [...rejectedMethods, "POST"], (method) => ({
    bytes: request({ method, target: "/openapi.json" }),
    expectedResponses: connectionContinues(405)
  })),
  ...family("a method, for a whole list", [...rejectedMethods, "POST"], (method) => ({
    bytes: request({ method, target: `/all${transfers}` }),
    expectedResponses: connectionContinues(405)
  })),
  ...family(
    "an invalid method",
    invalidMethods,
    (method) => ({ bytes: request({ method }), expectedResponses: rejectedAndClosed })
  ),
  ...family("a method that Node handles itself", ["CONNECT"], (method) => ({
    bytes: request({ method, target: "evil:443" }),
    expectedResponses: ["", "400"]
  })),
  ...family("CONNECT to a path", [transfers, "/livez", "localhost:8650", "*"], (target) => ({
    bytes: request({ method: "CONNECT", target }),
    expectedResponses: ["", "400"]
  })),
  ...family(
    "an unsupported version",
    versions,
    (version) => ({ bytes: request({ version }), expectedResponses: ["400", ""] })
  ),
  ...family(
    "a target that is not a path",
    otherTargets,
    (target) => ({ bytes: request({ target }), expectedResponses: ["400", ...connectionContinues(400, 404)] })
  ),
  ...family("OPTIONS", ["*", transfers, streamStatusPath, "/livez", `/all${transfers}`], (target) => ({
    bytes: request({ method: "OPTIONS", target }),
    expectedResponses: connectionContinues(204)
  })),
  ...family("OPTIONS of an unknown target", [`http://evil${transfers}`, "/nowhere", "**"], (target) => ({
    bytes: request({ method: "OPTIONS", target }),
    expectedResponses: [...connectionContinues(400, 404), "400"]
  })),
  ...foreign.map(([name, sent]): CorpusEntry => ({
    name,
    bytes: () => bytes(sent),
    expectedResponses: ["", "400", "408"]
  })),
  ...family("two spaces in a request line", ["GET  /livez HTTP/1.1", "GET /livez  HTTP/1.1"], (line) => ({
    bytes: ({ required }) => bytes(`${line}\r\n${required}\r\n`),
    expectedResponses: ["live live"]
  })),
  {
    name: "an HTTP/1.0 request, after which the connection is closed",
    bytes: request({ target: "/livez", version: "HTTP/1.0" }),
    expectedResponses: ["live"]
  },
  {
    name: "an HTTP/1.0 request with keep-alive",
    bytes: request({ target: "/nowhere", version: "HTTP/1.0", headers: ["Connection: keep-alive"] }),
    expectedResponses: connectionContinues(404)
  },
  {
    name: "a connection that ends in the middle of a request",
    bytes: ({ required }) => bytes(`GET ${transfers} HTTP/1.1\r\n${required}`),
    expectedResponses: ["", "400", "408"]
  }
]
