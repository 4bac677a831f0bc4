/** Rows: what becomes of bodies, and what stands in them. */
import * as Zlib from "node:zlib"
import { malformed, type Responder, type Row, success, unexpectedShape } from "./Row.ts"

/** The longest body that the clients of the matrix read. */
export const maxBodySize = 1_000_000

type Headers = Readonly<Record<string, string>>

/** A whole answer of known length. */
const completeBody =
  (make: (text: string) => string | Uint8Array, headers: Headers = {}): Responder => ({ response, text }) => {
    const body = make(text)
    response.writeHead(200, { "content-length": Buffer.byteLength(body), ...headers })
    response.end(body)
  }

/** A body that goes on for as long as somebody reads. */
const endless = (headers: Headers): Responder => ({ response }) => {
  const piece = "[\"and so on\"],".repeat(1000)
  response.writeHead(200, headers)
  const more = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on("drain", more)
  more()
}

const gzip = { "content-encoding": "gzip" }

/** Twenty times what may be read, in a few kilobytes. */
const gzipBomb = Zlib.gzipSync(Buffer.alloc(20 * maxBodySize, " "))

const tooLarge = (name: string, responder: Responder): Row => ({
  name,
  responder,
  ...unexpectedShape,
  servesStale: true
})

/** Members that are there twice, of which the last counts, and in every object one that would be its prototype. */
const addPrototypeMembers = (text: string): string => {
  const names = [...text.matchAll(/"(\w+)":/g)].map(([, name]) => `"${name}":null,`)
  return text.replaceAll("{", "{\"__proto__\":{\"polluted\":true},")
    .replace("{", `{"constructor":{"prototype":{"polluted":true}},${names.join("")}`)
}

const malformedBodies: ReadonlyArray<Row> = [
  {
    name: "JSON that is cut off, its length fitting",
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
    name: "100,000 levels inside a right document",
    responder: completeBody((text) =>
      text.replace("{", `{"more":${"[".repeat(100_000)}${"]".repeat(100_000)},`)
    ),
    ...malformed
  },
  {
    name: "gzip that is cut off",
    responder: completeBody((text) => Zlib.gzipSync(text).subarray(0, -20), gzip),
    ...malformed
  },
  {
    name: "gzip that is cut off, of unknown length",
    responder: ({ response, text }) => {
      response.writeHead(200, gzip)
      response.end(Zlib.gzipSync(text).subarray(0, -20))
    },
    ...malformed
  },
  {
    name: "what calls itself gzip and is not",
    responder: completeBody(() => "no gzip, no JSON", gzip),
    ...malformed
  }
]

const unexpectedDocuments: ReadonlyArray<readonly [name: string, document: unknown]> = [
  ["an error object with status 200", { statusCode: 500, message: "something went wrong" }],
  ["a text where an object belongs", "not found"],
  ["an array where an object belongs", []],
  ["a number where an object belongs", 7],
  ["true where an object belongs", true]
]

const unexpectedShapes: ReadonlyArray<Row> = [
  ...unexpectedDocuments.map(([name, document]): Row => ({
    name,
    responder: completeBody(() => JSON.stringify(document)),
    ...unexpectedShape
  })),
  {
    name: "null where an object belongs",
    responder: completeBody(() => "null"),
    ...unexpectedShape,
    // That is how the service says that there is no such NFT.
    except: { nftMetadata: { tag: "NotFoundError", requests: 1 } }
  }
]

const largeBodies: ReadonlyArray<Row> = [
  tooLarge("hundreds of megabytes, announced", endless({ "content-length": "300000000" })),
  tooLarge("hundreds of megabytes, not announced", endless({})),
  tooLarge("a small gzip of a large body", completeBody(() => gzipBomb, gzip))
]

const validBodies: ReadonlyArray<Row> = [
  { name: "a byte order mark", responder: completeBody((text) => `\ufeff${text}`), ...success },
  { name: "gzip", responder: completeBody((text) => Zlib.gzipSync(text), gzip), ...success },
  {
    name: "an answer in pieces",
    responder: ({ response, text }) => {
      for (const letter of text) response.write(letter)
      response.end()
    },
    ...success
  },
  {
    name: "members that are there twice, and __proto__",
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
