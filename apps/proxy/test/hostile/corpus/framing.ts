/** Request smuggling: lengths, transfer codings and body ends that parsers read differently. */
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
  streamStatusPath,
  transfers,
  update
} from "./entry.ts"

const paused = `{"status":"paused"}`

const pausedStream = forwarded(`POST ${streamStatusPath}`)

/** A smuggled request: it gets a response only if a parser takes it for a separate request. */
const inner = ({ required }: EntryContext): string => `GET /smuggled HTTP/1.1\r\n${required}\r\n`

/** A body whose chunks end before its length. */
const early = (context: EntryContext) => `0\r\n\r\n${inner(context)}`

const inHex = (text: string) => text.length.toString(16)

/** Variants of `Transfer-Encoding: chunked` that parsers interpret differently. */
const codings: ReadonlyArray<string> = [
  ["chunked", "Chunked", "CHUNKED", "identity", "xchunked", "chunkedx", "chunk\u00e9d", "chunked;q=1"],
  ["\"chunked\"", "'chunked'", "\tchunked", " \t chunked \t ", "\x0bchunked", "chunked\x0b", "\x0cchunked"],
  ["chunked\x00", "\x00chunked", "\xa0chunked", "\r\n chunked", "\r\n\tchunked", "", " "],
  ["chunked, identity", "identity, chunked", "gzip, chunked", "chunked, gzip", "chunked,", ",chunked"],
  ["chunked, chunked", "chunked\r\nTransfer-Encoding: identity", "identity\r\nTransfer-Encoding: chunked"]
].flat().map((value) => `Transfer-Encoding: ${value}`).concat([
  ...["", " ", "\t"].map((start) => `${start}Transfer-Encoding:chunked`),
  ...["\r\n ", "\n", "\r", "\r\r\n"].map((end) => `X: y${end}Transfer-Encoding: chunked`),
  ...["Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "transfer-encoding: chunked"],
  ...["Transfer-Encoding:", "Transfer-Encoding"]
])

/**
 * An empty Transfer-Encoding before a length. Older parsers ignore the field: the length frames the body, which is not
 * valid JSON. Newer parsers reject the request, and the proxy closes the connection. Neither reads a smuggled request.
 */
const emptyCoding = anyOf("400 live", "400")

/** Fields that are not Transfer-Encoding. The length frames the body, which is not valid JSON. */
const similarFields = [
  ...["Transfer_Encoding", "TransferEncoding", "X-Transfer-Encoding", "Transfer-Encodin", "TE"],
  "Content-Transfer-Encoding"
].map((name) => `${name}: chunked`)

const invalidLengths = [
  ["-1", "+5", "0x13", "1e1", "19.0", "19,19", "19, 19", "19 19", "19;", "\"19\"", "a", "NaN", "Infinity"],
  ["\x0b19", "\x0c19", "19\x0b", "19\x00", "\xa019", "\u00b2", "", " "],
  ["99999999999999999999", "18446744073709551635", "340282366920938463463374607431768211475"]
].flat()

const chunk = (body: string) => update(["Transfer-Encoding: chunked"], body)

/** Bodies with invalid sizes, line ends, extensions and trailers. */
const invalidChunks: ReadonlyArray<string> = [
  ["x\r\n", "-1\r\n", "\r\n0\r\n\r\n", "1\na\n0\n\n", "1\r\na\n0\r\n\r\n", "1\ra\r0\r\r"],
  ["+1", "0x1", " 1", "\t1", "1 ", "1\t", "1\x00", "2", "FFFFFFFFFFFFFFFFF", "10000000000000001"]
    .map((size) => `${size}\r\na\r\n0\r\n\r\n`),
  ["1\r\nab\r\n0\r\n\r\n", "1;\na\r\n0\r\n\r\n"],
  ["a\rb", "a\x00", "a=\"b\nc\"", "x".repeat(20_000)].map((text) => `1;${text}\r\na\r\n0\r\n\r\n`),
  ["X: y\n", "X : y\r\n", " X: y\r\n", "X\x00: y\r\n", `X: ${"x".repeat(20_000)}\r\n`]
    .map((trailer) => `0\r\n${trailer}\r\n`),
  ["Content-Length: 5", "Transfer-Encoding: chunked"].map((trailer) => `0\r\n${trailer}\r\n\r\n`)
].flat()

/** Valid but unusual chunked bodies. */
const validChunks: ReadonlyArray<string> = [
  `0000${inHex(paused)}\r\n${paused}\r\n000\r\n\r\n`,
  `${inHex(paused)};a=b;c="d"\r\n${paused}\r\n0;e\r\n\r\n`,
  `${inHex(paused)}\r\n${paused}\r\n0\r\nX-API-Key: other\r\nHost: evil\r\n\r\n`,
  [...paused].map((one) => `1\r\n${one}\r\n`).join("") + "0\r\n\r\n"
]

const length = "Content-Length: <length>"

export const framing: ReadonlyArray<CorpusEntry> = [
  ...family("a length before a coding", codings, rejected, (coding) => update([length, coding], early)),
  ...family(
    "a coding before a length",
    codings,
    (coding) => /:\s*$/.test(coding) ? emptyCoding : rejected,
    (coding) => update([coding, length], early)
  ),
  ...family(
    "a short length before a coding",
    codings,
    rejected,
    (coding) => update(["Content-Length: 4", coding], (context) => `5c\r\n${inner(context)}`)
  ),
  ...family(
    "a length and a field like Transfer-Encoding",
    similarFields,
    answered(400),
    (field) => update([length, field], early)
  ),
  ...family(
    "an invalid length",
    invalidLengths,
    rejected,
    (length) => update([`Content-Length: ${length}`], paused)
  ),
  ...family(
    "two lengths",
    ["19", "5", "0", "019", "19 ", "190"],
    rejected,
    (second) => update(["Content-Length: 19", `Content-Length: ${second}`], paused)
  ),
  ...family("an invalid chunked body", invalidChunks, anyOf("", "400"), chunk),
  ...family("a valid chunked body", validChunks, pausedStream, chunk),
  entry("a valid body with a length", pausedStream, update([length], paused)),
  entry(
    "a body longer than its length",
    // Rejecting the bytes after the body may close the connection before the first response is written
    { ...pausedStream, ...anyOf("", "400", "200 400", "200") },
    update([`Content-Length: ${paused.length}`], `${paused}and more`)
  ),
  entry(
    "a length that covers the next request",
    anyOf("", "408"),
    update(["Content-Length: 1000"], paused)
  ),
  entry("a length of 100 MB without a body", anyOf("413"), update(["Content-Length: 104857600"], paused)),
  entry("unterminated chunks", anyOf("", "400", "408"), chunk("5\r\n{\"a\":\r\n")),
  ...family(
    "a body, which is a smuggled request by length, of",
    ["GET", "HEAD"],
    answered(403),
    (method) => request({ method, target: "/nowhere", headers: [length], body: inner })
  ),
  entry(
    "a GET whose body is a smuggled request, in chunks",
    answered(403),
    request({
      target: "/nowhere",
      headers: ["Transfer-Encoding: chunked"],
      body: (context) => `${inHex(inner(context))}\r\n${inner(context)}\r\n0\r\n\r\n`
    })
  ),
  entry(
    "a GET with a body, which is not forwarded",
    forwarded(`GET ${transfers}`),
    request({ headers: [length], body: inner })
  ),
  entry(
    "a GET with invalid chunks, for which a response may already be sent",
    anyOf("", "403", "400"),
    request({ target: "/nowhere", headers: ["Transfer-Encoding: chunked"], body: "x" })
  ),
  ...family(
    "HTTP/1.0 with",
    codings.slice(0, 7),
    // A parser that reads the chunks finds a separate request after them
    anyOf("400", "403 403", "403", "403 403 live"),
    (coding) =>
      request({
        method: "POST",
        target: "/nowhere",
        version: "HTTP/1.0",
        headers: ["Connection: keep-alive", coding],
        body: early
      })
  ),
  entry("Expect: 100-continue", pausedStream, update(["Expect: 100-continue", length], paused)),
  entry("an unknown expectation", answered(417), update(["Expect: the-spanish-inquisition", length], paused)),
  entry(
    "empty lines before a request",
    answered(403),
    (context) => bytes(`\r\n\r\n${request({ target: "/nowhere" })(context).toString("latin1")}`)
  )
]
