/** Rows: what becomes of bodies, and what stands in them. */
import * as Zlib from "node:zlib"
import { type Answerer, foreign, garbled, type Row, understood } from "./Row.ts"

/** The longest body that the clients of the matrix read. */
export const maxBodySize = 1_000_000

type Headers = Readonly<Record<string, string>>

/** A whole answer of known length. */
const whole =
  (make: (text: string) => string | Uint8Array, headers: Headers = {}): Answerer => ({ response, text }) => {
    const body = make(text)
    response.writeHead(200, { "content-length": Buffer.byteLength(body), ...headers })
    response.end(body)
  }

/** A body that goes on for as long as somebody reads. */
const endless = (headers: Headers): Answerer => ({ response }) => {
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
const bomb = Zlib.gzipSync(Buffer.alloc(20 * maxBodySize, " "))

const tooLarge = (name: string, answer: Answerer): Row => ({ name, answer, ...foreign, rescued: true })

/** Members that are there twice, of which the last counts, and in every object one that would be its prototype. */
const hostile = (text: string): string => {
  const names = [...text.matchAll(/"(\w+)":/g)].map(([, name]) => `"${name}":null,`)
  return text.replaceAll("{", "{\"__proto__\":{\"polluted\":true},")
    .replace("{", `{"constructor":{"prototype":{"polluted":true}},${names.join("")}`)
}

const garbage: ReadonlyArray<Row> = [
  {
    name: "JSON that is cut off, its length fitting",
    answer: whole((text) => text.slice(0, -1)),
    ...garbled
  },
  {
    name: "HTML with status 200",
    answer: whole(() => "<!doctype html><title>Just a moment</title>", { "content-type": "text/html" }),
    ...garbled
  },
  { name: "an empty body", answer: whole(() => ""), ...garbled },
  { name: "two documents", answer: whole((text) => `${text}\n${text}`), ...garbled },
  {
    name: "100,000 levels of arrays",
    answer: whole(() => "[".repeat(100_000) + "]".repeat(100_000)),
    ...garbled
  },
  {
    name: "100,000 levels of objects",
    answer: whole(() => "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000)),
    ...garbled
  },
  {
    name: "100,000 levels inside a right document",
    answer: whole((text) => text.replace("{", `{"more":${"[".repeat(100_000)}${"]".repeat(100_000)},`)),
    ...garbled
  },
  {
    name: "gzip that is cut off",
    answer: whole((text) => Zlib.gzipSync(text).subarray(0, -20), gzip),
    ...garbled
  },
  {
    name: "gzip that is cut off, of unknown length",
    answer: ({ response, text }) => {
      response.writeHead(200, gzip)
      response.end(Zlib.gzipSync(text).subarray(0, -20))
    },
    ...garbled
  },
  { name: "what calls itself gzip and is not", answer: whole(() => "no gzip, no JSON", gzip), ...garbled }
]

const sayings: ReadonlyArray<readonly [name: string, document: unknown]> = [
  ["an error object with status 200", { statusCode: 500, message: "something went wrong" }],
  ["a text where an object belongs", "not found"],
  ["an array where an object belongs", []],
  ["a number where an object belongs", 7],
  ["true where an object belongs", true]
]

const foreigners: ReadonlyArray<Row> = [
  ...sayings.map(([name, document]): Row => ({
    name,
    answer: whole(() => JSON.stringify(document)),
    ...foreign
  })),
  {
    name: "null where an object belongs",
    answer: whole(() => "null"),
    ...foreign,
    // That is how the service says that there is no such NFT.
    except: { nftMetadata: { tag: "NotFound", requests: 1 } }
  }
]

const large: ReadonlyArray<Row> = [
  tooLarge("hundreds of megabytes, announced", endless({ "content-length": "300000000" })),
  tooLarge("hundreds of megabytes, not announced", endless({})),
  tooLarge("a small gzip of a large body", whole(() => bomb, gzip))
]

const harmless: ReadonlyArray<Row> = [
  { name: "a byte order mark", answer: whole((text) => `\ufeff${text}`), ...understood },
  { name: "gzip", answer: whole((text) => Zlib.gzipSync(text), gzip), ...understood },
  {
    name: "an answer in pieces",
    answer: ({ response, text }) => {
      for (const letter of text) response.write(letter)
      response.end()
    },
    ...understood
  },
  { name: "members that are there twice, and __proto__", answer: whole(hostile), ...understood }
]

export const bodies: ReadonlyArray<Row> = [...garbage, ...foreigners, ...large, ...harmless]
