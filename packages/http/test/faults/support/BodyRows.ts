/** Rows about response bodies. */
import * as Zlib from "node:zlib"
import { malformed, type Responder, type Row, success, unexpectedShape } from "./Row.ts"

/** The size limit of the clients of the matrix. */
export const maxBodySize = 1_000_000

type ResponseHeaders = Readonly<Record<string, string>>

/** Responds with a complete body of known length. */
const completeBody =
  (make: (text: string) => string | Uint8Array, headers: ResponseHeaders = {}): Responder =>
  ({ response, text }) => {
    const body = make(text)
    response.writeHead(200, { "content-length": Buffer.byteLength(body), ...headers })
    response.end(body)
  }

/** Responds with a body that continues until the client closes the connection. */
const endless = (headers: ResponseHeaders): Responder => ({ response }) => {
  const chunk = "[\"and so on\"],".repeat(1000)
  response.writeHead(200, headers)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on("drain", more)
  more()
}

const gzip = { "content-encoding": "gzip" }

/** Twenty times the size limit, in a few kilobytes. */
const gzipBomb = Zlib.gzipSync(Buffer.alloc(20 * maxBodySize, " "))

const tooLarge = (name: string, responder: Responder): Row => ({
  name,
  responder,
  ...unexpectedShape,
  servesStale: true
})

/** Adds duplicate members, of which the last counts, and members that would set the prototype. */
const addPrototypeMembers = (text: string): string => {
  const names = [...text.matchAll(/"(\w+)":/g)].map(([, name]) => `"${name}":null,`)
  return text.replaceAll("{", "{\"__proto__\":{\"polluted\":true},")
    .replace("{", `{"constructor":{"prototype":{"polluted":true}},${names.join("")}`)
}

const malformedBodies: ReadonlyArray<Row> = [
  {
    name: "truncated JSON with a matching content-length",
    responder: completeBody((text) => text.slice(0, -1)),
    ...malformed
  },
  {
    name: "HTML with status 200",
    responder: completeBody(() => "<!doctype html><title>Just a moment</title>", {
      "content-type": "text/html"
    }),
    ...malformed
  },
  { name: "an empty body", responder: completeBody(() => ""), ...malformed },
  { name: "two documents", responder: completeBody((text) => `${text}\n${text}`), ...malformed },
  {
    name: "100,000 levels of arrays",
    responder: completeBody(() => "[".repeat(100_000) + "]".repeat(100_000)),
    ...malformed
  },
  {
    name: "100,000 levels of objects",
    responder: completeBody(() => "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000)),
    ...malformed
  },
  {
    name: "100,000 levels inside a valid document",
    responder: completeBody((text) =>
      text.replace("{", `{"more":${"[".repeat(100_000)}${"]".repeat(100_000)},`)
    ),
    ...malformed
  },
  {
    name: "truncated gzip",
    responder: completeBody((text) => Zlib.gzipSync(text).subarray(0, -20), gzip),
    ...malformed
  },
  {
    name: "truncated gzip of unknown length",
    responder: ({ response, text }) => {
      response.writeHead(200, gzip)
      response.end(Zlib.gzipSync(text).subarray(0, -20))
    },
    ...malformed
  },
  {
    name: "text labelled as gzip",
    responder: completeBody(() => "no gzip, no JSON", gzip),
    ...malformed
  }
]

const unexpectedDocuments: ReadonlyArray<readonly [name: string, document: unknown]> = [
  ["an error object with status 200", { statusCode: 500, message: "something went wrong" }],
  ["a string instead of an object", "not found"],
  ["an array instead of an object", []],
  ["a number instead of an object", 7],
  ["true instead of an object", true]
]

const unexpectedShapes: ReadonlyArray<Row> = [
  ...unexpectedDocuments.map(([name, document]): Row => ({
    name,
    responder: completeBody(() => JSON.stringify(document)),
    ...unexpectedShape
  })),
  {
    name: "null instead of an object",
    responder: completeBody(() => "null"),
    ...unexpectedShape,
    // The response for an NFT that does not exist.
    except: { nftMetadata: { tag: "NotFoundError", requests: 1 } }
  }
]

const largeBodies: ReadonlyArray<Row> = [
  tooLarge("hundreds of megabytes with content-length", endless({ "content-length": "300000000" })),
  tooLarge("hundreds of megabytes of unknown length", endless({})),
  tooLarge("a gzip bomb", completeBody(() => gzipBomb, gzip))
]

const validBodies: ReadonlyArray<Row> = [
  { name: "a byte order mark", responder: completeBody((text) => `\ufeff${text}`), ...success },
  { name: "gzip", responder: completeBody((text) => Zlib.gzipSync(text), gzip), ...success },
  {
    name: "a response in many chunks",
    responder: ({ response, text }) => {
      for (const letter of text) response.write(letter)
      response.end()
    },
    ...success
  },
  {
    name: "duplicate members and __proto__",
    responder: completeBody(addPrototypeMembers),
    ...success
  }
]

export const bodyRows: ReadonlyArray<Row> = [
  ...malformedBodies,
  ...unexpectedShapes,
  ...largeBodies,
  ...validBodies
]
