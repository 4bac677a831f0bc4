/** Request smuggling: lengths, transfer codings and body ends that parsers read differently. */
import { bytes } from "../rawHttp.ts"
import {
  type ByParser,
  connectionContinues,
  type CorpusEntry,
  type EntryContext,
  family,
  inner,
  rejectedAndClosed,
  request,
  streamStatusPath,
  transfers
} from "./entry.ts"

const post = (headers: ReadonlyArray<string>, body: string) =>
  request({
    method: "POST",
    target: streamStatusPath,
    headers: ["Content-Type: application/json", ...headers],
    body
  })

const paused = `{"status":"paused"}`

/** A body whose chunks end before its length. */
const early = (context: EntryContext) => `0\r\n\r\n${inner(context)}`

/** Variants of `Transfer-Encoding: chunked` that parsers interpret differently. */
const codings: ReadonlyArray<string> = [
  "Transfer-Encoding: chunked",
  "transfer-encoding: chunked",
  "Transfer-Encoding: Chunked",
  "Transfer-Encoding: CHUNKED",
  "Transfer-Encoding:chunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: \t chunked \t ",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunkedx",
  "Transfer-Encoding: chunked,",
  "Transfer-Encoding: ,chunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, gzip",
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: \"chunked\"",
  "Transfer-Encoding: 'chunked'",
  "Transfer-Encoding: chunk\u00e9d",
  "Transfer-Encoding: \x0bchunked",
  "Transfer-Encoding: chunked\x0b",
  "Transfer-Encoding: \x0cchunked",
  "Transfer-Encoding: chunked\x00",
  "Transfer-Encoding: \x00chunked",
  "Transfer-Encoding: \xa0chunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding\t: chunked",
  " Transfer-Encoding: chunked",
  "\tTransfer-Encoding: chunked",
  "Transfer-Encoding:\r\n chunked",
  "Transfer-Encoding:\r\n\tchunked",
  "X: y\r\n Transfer-Encoding: chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "X: y\r\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding:",
  "Transfer-Encoding: ",
  "Transfer-Encoding"
]

/**
 * An empty Transfer-Encoding before a length. Older parsers ignore the field: the length frames the body, which is not
 * valid JSON. Newer parsers reject the request, and the proxy closes the connection. Neither reads a smuggled request.
 */
const emptyCoding: ByParser = {
  llhttp: [
    { since: "9.2.0", expected: connectionContinues(400) }, // Node 20.20.2, 22.12.0 to 22.23.0, 24.0.0
    { since: "9.4.3", expected: rejectedAndClosed } // Node 22.23.2 and later, 24.21.0
  ]
}

/** Fields that are not Transfer-Encoding. The length frames the body, which is not valid JSON. */
const similarFields: ReadonlyArray<string> = [
  "Transfer_Encoding: chunked",
  "TransferEncoding: chunked",
  "X-Transfer-Encoding: chunked",
  "Transfer-Encodin: chunked",
  "TE: chunked",
  "Content-Transfer-Encoding: chunked"
]

/** Invalid lengths. */
const invalidLengths: ReadonlyArray<string> = [
  "-1",
  "+5",
  "0x13",
  "1e1",
  "19.0",
  "19,19",
  "19, 19",
  "19 19",
  "19;",
  "\x0b19",
  "\x0c19",
  "19\x0b",
  "19\x00",
  "\xa019",
  "\u00b2",
  "NaN",
  "Infinity",
  "99999999999999999999",
  "18446744073709551616",
  "18446744073709551635",
  "340282366920938463463374607431768211475",
  "\"19\"",
  "a",
  "",
  " "
]

const chunk = (body: string) => post(["Transfer-Encoding: chunked"], body)

/** Invalid chunked bodies. */
const invalidChunks: ReadonlyArray<string> = [
  "x\r\n",
  "-1\r\n",
  "+1\r\na\r\n0\r\n\r\n",
  "0x1\r\na\r\n0\r\n\r\n",
  " 1\r\na\r\n0\r\n\r\n",
  "\t1\r\na\r\n0\r\n\r\n",
  "\r\n0\r\n\r\n",
  "1 \r\na\r\n0\r\n\r\n",
  "1\t\r\na\r\n0\r\n\r\n",
  "1\na\n0\n\n",
  "1\r\na\n0\r\n\r\n",
  "1\ra\r0\r\r",
  "1\r\nab\r\n0\r\n\r\n",
  "2\r\na\r\n0\r\n\r\n",
  "FFFFFFFFFFFFFFFFF\r\na",
  "10000000000000001\r\na\r\n0\r\n\r\n",
  "1;\na\r\n0\r\n\r\n",
  "1;a\rb\r\na\r\n0\r\n\r\n",
  "1;a\x00\r\na\r\n0\r\n\r\n",
  "1\x00\r\na\r\n0\r\n\r\n",
  "1;a=\"b\nc\"\r\na\r\n0\r\n\r\n",
  `1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`,
  "0\r\nX: y\n\r\n",
  "0\r\nX : y\r\n\r\n",
  "0\r\n X: y\r\n\r\n",
  "0\r\nX\x00: y\r\n\r\n",
  `0\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
  "0\r\nContent-Length: 5\r\n\r\n",
  "0\r\nTransfer-Encoding: chunked\r\n\r\n"
]

const inHex = (text: string) => text.length.toString(16)

/** Valid but unusual chunked bodies. */
const validChunks: ReadonlyArray<string> = [
  `${inHex(paused)}\r\n${paused}\r\n0\r\n\r\n`,
  `0000${inHex(paused)}\r\n${paused}\r\n000\r\n\r\n`,
  `${inHex(paused)};a=b;c="d"\r\n${paused}\r\n0;e\r\n\r\n`,
  `${inHex(paused)}\r\n${paused}\r\n0\r\nX-Trailer: y\r\n\r\n`,
  `${inHex(paused)}\r\n${paused}\r\n0\r\nX-API-Key: other\r\nHost: evil\r\n\r\n`,
  [...paused].map((one) => `1\r\n${one}\r\n`).join("") + "0\r\n\r\n"
]

export const framing: ReadonlyArray<CorpusEntry> = [
  ...family("a length before a coding", codings, (coding) => ({
    bytes: (context) => {
      const body = early(context)
      return post([`Content-Length: ${body.length}`, coding], body)(context)
    },
    expectedResponses: rejectedAndClosed
  })),
  ...family("a coding before a length", codings, (coding) => ({
    bytes: (context) => {
      const body = early(context)
      return post([coding, `Content-Length: ${body.length}`], body)(context)
    },
    expectedResponses: /:\s*$/.test(coding) ? emptyCoding : rejectedAndClosed
  })),
  ...family("a short length before a coding", codings, (coding) => ({
    bytes: (context) => post(["Content-Length: 4", coding], `5c\r\n${inner(context)}`)(context),
    expectedResponses: rejectedAndClosed
  })),
  ...family("a length and a field like Transfer-Encoding", similarFields, (coding) => ({
    bytes: (context) => {
      const body = early(context)
      return post([`Content-Length: ${body.length}`, coding], body)(context)
    },
    expectedResponses: connectionContinues(400)
  })),
  ...family("an invalid length", invalidLengths, (length) => ({
    bytes: post([`Content-Length: ${length}`], paused),
    expectedResponses: rejectedAndClosed
  })),
  ...family(
    "two lengths",
    ["19", "5", "0", "019", "19 ", "190"],
    (second) => ({
      bytes: post(["Content-Length: 19", `Content-Length: ${second}`], paused),
      expectedResponses: rejectedAndClosed
    })
  ),
  ...family(
    "an invalid chunked body",
    invalidChunks,
    (body) => ({ bytes: chunk(body), expectedResponses: ["", "400"] })
  ),
  ...family("a valid chunked body", validChunks, (body) => ({
    bytes: chunk(body),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`POST ${streamStatusPath} HTTP/1.1`]
  })),
  {
    name: "a valid body with a length",
    bytes: post([`Content-Length: ${paused.length}`], paused),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`POST ${streamStatusPath} HTTP/1.1`]
  },
  {
    name: "a body longer than its length",
    bytes: post([`Content-Length: ${paused.length}`], `${paused}and more`),
    // Rejecting the bytes after the body may close the connection before the first response is written
    expectedResponses: ["", "400", "200 400", "200"],
    upstreamRequests: [`POST ${streamStatusPath} HTTP/1.1`]
  },
  {
    name: "a length that covers the next request",
    bytes: post(["Content-Length: 1000"], paused),
    expectedResponses: ["", "408"]
  },
  {
    name: "a length of 100 MB without a body",
    bytes: post(["Content-Length: 104857600"], paused),
    expectedResponses: ["413"]
  },
  {
    name: "unterminated chunks",
    bytes: chunk("5\r\n{\"a\":\r\n"),
    expectedResponses: ["", "400", "408"]
  },
  {
    name: "a GET whose body is a smuggled request, by length",
    bytes: (context) => {
      const body = inner(context)
      return request({ target: "/nowhere", headers: [`Content-Length: ${body.length}`], body })(context)
    },
    expectedResponses: connectionContinues(404)
  },
  {
    name: "a GET whose body is a smuggled request, in chunks",
    bytes: (context) => {
      const body = inner(context)
      return request({
        target: "/nowhere",
        headers: ["Transfer-Encoding: chunked"],
        body: `${inHex(body)}\r\n${body}\r\n0\r\n\r\n`
      })(context)
    },
    expectedResponses: connectionContinues(404)
  },
  {
    name: "a GET with a body, which is not forwarded",
    bytes: (context) => {
      const body = inner(context)
      return request({ headers: [`Content-Length: ${body.length}`], body })(context)
    },
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`GET ${transfers} HTTP/1.1`]
  },
  {
    name: "a GET with invalid chunks, for which a response may already be sent",
    bytes: request({ target: "/nowhere", headers: ["Transfer-Encoding: chunked"], body: "x" }),
    expectedResponses: ["", "404", "400"]
  },
  {
    name: "a HEAD with a body",
    bytes: (context) => {
      const body = inner(context)
      return request({
        method: "HEAD",
        target: "/nowhere",
        headers: [`Content-Length: ${body.length}`],
        body
      })(context)
    },
    expectedResponses: connectionContinues(404)
  },
  ...family("HTTP/1.0 with", codings.slice(0, 7), (coding) => ({
    bytes: (context) =>
      request({
        method: "POST",
        target: "/nowhere",
        version: "HTTP/1.0",
        headers: ["Connection: keep-alive", coding],
        body: early(context)
      })(context),
    // A parser that reads the chunks finds a separate request after them
    expectedResponses: ["400", "404 404", "404", "404 404 live"]
  })),
  {
    name: "Expect: 100-continue",
    bytes: post(["Expect: 100-continue", `Content-Length: ${paused.length}`], paused),
    expectedResponses: connectionContinues(200),
    upstreamRequests: [`POST ${streamStatusPath} HTTP/1.1`]
  },
  {
    name: "an unknown expectation",
    bytes: post(["Expect: the-spanish-inquisition", `Content-Length: ${paused.length}`], paused),
    expectedResponses: connectionContinues(417)
  },
  {
    name: "empty lines before a request",
    bytes: (context) => bytes(`\r\n\r\n${request({ target: "/nowhere" })(context).toString("latin1")}`),
    expectedResponses: connectionContinues(404)
  }
]
