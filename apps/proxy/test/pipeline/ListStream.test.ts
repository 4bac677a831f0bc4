/** Whole lists on sockets: backpressure, failures, encodings. The record `lists` has their lines. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Zlib from "node:zlib"
import { pageOf, recordsOfLists } from "../../../../packages/core/test/support/listRecords.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { bytes, exchange, get, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { configuredTokens, examples, openAdmin, sendRequest, start, testClient } from "../support/proxy.ts"
import { upstreamOf } from "../support/staticUpstream.ts"

const { collection721, token } = examples

/** Returns a page of 1 MB. */
const bigPage = (page: number) => {
  const ids = Array.from({ length: 100 }, (_, id) => String(page * 100 + id))
  const metadata = "x".repeat(10_000)
  return Response.json({
    result: ids.map((id) => ({ token_address: token, token_id: id, metadata })),
    cursor: `c${page}`
  })
}

/** An endless list with pages that exceed the socket buffers. */
const endlessList = () => {
  const requested = { pages: 0 }
  const client = upstreamOf(() => {
    requested.pages += 1
    return bigPage(requested.pages)
  })
  return { requested, client }
}

const open = (
  port: number,
  path: string,
  headers: Http.OutgoingHttpHeaders = {}
): Effect.Effect<Http.IncomingMessage, Error> =>
  Effect.async((resume) => {
    const request = Http.get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      response.on("error", () => {})
      resume(Effect.succeed(response))
    })
    request.on("error", (error) => resume(Effect.fail(error)))
  })

describe("a client that stops reading", () => {
  it.scopedLive("pauses pagination, resumes it by reading, and ends it by disconnecting", () =>
    Effect.gen(function*() {
      const { requested, client: httpClient } = endlessList()
      const { lines: log, port } = yield* start({ httpClient })
      const others = (count: number) =>
        Effect.forEach(Array(count).fill("/livez"), (path) => sendRequest(port, path))
      const response = yield* open(port, `/all/api/v2.2/nft/${collection721}?chain=eth`)
      // Other requests are served meanwhile, and the list advances only as far as the socket buffers allow
      yield* others(100)
      const stopped = requested.pages
      yield* others(100)
      expect(requested.pages).toBe(stopped)
      expect(stopped).toBeLessThan(30)
      yield* Effect.async<void>((resume) => {
        response.once("close", () => resume(Effect.die("the list ended")))
        response.on("data", () => {
          if (requested.pages > stopped + 20) resume(Effect.void)
        })
      })
      response.destroy()
      yield* others(1).pipe(Effect.repeat({ until: () => log.length > 0, times: 1000 }))
      expect(JSON.parse(log[0] ?? "")).toMatchObject({ status: 499, route: "/all/api/v2.2/nft/:address" })
      const ended = requested.pages
      yield* others(50)
      expect(requested.pages).toBe(ended)
    }))
})

/** A list whose second page is sent when the test allows it, and then fails or is the last. */
const heldList = (second: Response) =>
  Effect.gen(function*() {
    const [asked, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const first = {
      result: [{ token_address: token, token_id: "1", metadata: "é".repeat(3000) }],
      cursor: "c1"
    }
    const client = HttpClient.make((request, url) =>
      Effect.gen(function*() {
        if (!url.search.includes("c1")) return HttpClientResponse.fromWeb(request, Response.json(first))
        yield* Deferred.succeed(asked, undefined)
        yield* Deferred.await(gate)
        return HttpClientResponse.fromWeb(request, second.clone())
      })
    )
    return { asked, client, gate }
  })

const refusal = () => Response.json({ message: "no" }, { status: 422 })

const lastPage = () => Response.json({ result: [{ token_address: token, token_id: "2" }], cursor: null })

const listPath = `/all/api/v2.2/nft/${collection721}?chain=eth`

/** Everything that a client receives for a request, and whether its connection ends without a reset. */
const receive = (port: number, ...lines: ReadonlyArray<string>) =>
  Effect.scoped(Effect.gen(function*() {
    const { closed, socket } = yield* openConnection(port)
    socket.write(bytes(`${lines.join("\r\n")}\r\n\r\n`))
    return { stream: yield* closed, isEnded: socket.readableEnded }
  }))

/** Returns the content of the first response of a stream, and whether its last chunk is missing. */
const contentOf = (stream: string) => {
  const { incomplete, responses: [complete] } = parseResponses(stream)
  const content = Buffer.from((incomplete ?? complete)?.body ?? "", "latin1")
  return { content, isIncomplete: incomplete !== undefined }
}

/** Decodes the start of a body as far as it goes. */
const decodedPrefix = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => Zlib.gunzipSync(bytes, { finishFlush: Zlib.constants.Z_SYNC_FLUSH }),
  br: (bytes: Buffer) =>
    Zlib.brotliDecompressSync(bytes, { finishFlush: Zlib.constants.BROTLI_OPERATION_FLUSH })
}

const decoded = { gzip: Zlib.gunzipSync, br: Zlib.brotliDecompressSync }

const lastLineOf = (content: Buffer): unknown =>
  JSON.parse(content.toString().trimEnd().split("\n").at(-1) ?? "")

const failureLine = {
  failure: { code: "bad-request", message: expect.any(String), requestId: expect.any(String) },
  cursor: expect.any(String)
}

const encodings = ["identity", "gzip", "br"] as const

/** A proxy with a list that fails on its second page. */
const startFailing = Effect.gen(function*() {
  const held = yield* heldList(refusal())
  yield* Deferred.succeed(held.gate, undefined)
  return yield* start({ httpClient: held.client })
})

describe("a list that fails half-way", () => {
  it.scopedLive.each(encodings)(
    "ends after the failure line without a last chunk: %s",
    (encoding) =>
      Effect.gen(function*() {
        const { lines, port } = yield* startFailing
        const { isEnded, stream } = yield* receive(
          port,
          `GET ${listPath} HTTP/1.1`,
          "Host: localhost",
          `Accept-Encoding: ${encoding}`
        )
        const [head = ""] = stream.split("\r\n\r\n")
        expect(head.toLowerCase()).toContain("transfer-encoding: chunked")
        expect(head.includes(`content-encoding: ${encoding}`)).toBe(encoding !== "identity")
        const { content, isIncomplete } = contentOf(stream)
        expect([isIncomplete, isEnded]).toEqual([true, true])
        expect(lastLineOf(decodedPrefix[encoding](content))).toEqual(failureLine)
        if (encoding !== "identity") expect(() => decoded[encoding](content)).toThrow()
        yield* Effect.repeat(sendRequest(port, "/livez"), { until: () => lines.length > 0 })
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({ status: 200, code: "bad-request" })
      })
  )

  it.scopedLive("leaves the responses on other connections and before it whole", () =>
    Effect.gen(function*() {
      const held = yield* heldList(refusal())
      const { port } = yield* start({ httpClient: held.client })
      const page = `/api/v2.2/nft/${collection721}?chain=eth`
      const other = yield* openConnection(port)
      other.socket.write(get(`${page}&cursor=c1`))
      const pipelined = yield* openConnection(port)
      pipelined.socket.write(Buffer.concat([get(`${page}&cursor=c1`), get(listPath), get(page)]))
      yield* Deferred.await(held.asked)
      yield* Deferred.succeed(held.gate, undefined)
      const { problem, responses } = parseResponses(yield* pipelined.closed)
      expect(responses.map(({ status }) => status)).toEqual([422])
      expect(problem).toContain("no last chunk")
      other.socket.write(get(page))
      expect((yield* other.responses(2)).map(({ status }) => status)).toEqual([422, 200])
    }))

  it.scopedLive("is received to its failure line by a client that reads it later", () =>
    Effect.gen(function*() {
      const pages = 40
      const requested = { pages: 0 }
      const { port } = yield* start({
        httpClient: upstreamOf(() => {
          requested.pages += 1
          return requested.pages > pages
            ? refusal()
            : bigPage(requested.pages)
        })
      })
      const held = yield* openConnection(port)
      held.socket.pause()
      held.socket.write(get(listPath))
      yield* Effect.repeat(sendRequest(port, "/livez"), { until: () => requested.pages > 1 })
      held.socket.resume()
      const read = yield* held.closed
      const { content, isIncomplete } = contentOf(read)
      expect(isIncomplete).toBe(true)
      expect(lastLineOf(content)).toEqual(failureLine)
      expect(content.toString().split("\n")).toHaveLength(pages * 100 + 2)
    }))
})

describe("a compressed list", () => {
  it.scopedLive.each(["gzip", "br"] as const)(
    "brings each page when it is available: %s",
    (encoding) =>
      Effect.gen(function*() {
        const held = yield* heldList(lastPage())
        const { port } = yield* start({ httpClient: held.client })
        const response = yield* open(port, listPath, { "accept-encoding": encoding })
        expect(response.headers).toMatchObject({ "content-encoding": encoding, vary: "accept-encoding" })
        const pieces: Array<Buffer> = []
        const ended = new Promise((resolve) => response.on("end", resolve))
        yield* Effect.async<void>((resume) => {
          response.on("data", (piece: Buffer) => {
            pieces.push(piece)
            if (decodedPrefix[encoding](Buffer.concat(pieces)).includes("\n")) resume(Effect.void)
          })
        })
        yield* Deferred.succeed(held.gate, undefined)
        yield* Effect.promise(() => ended)
        const lines = decoded[encoding](Buffer.concat(pieces)).toString().trimEnd().split("\n")
        expect(lines.map((line) => Object(JSON.parse(line)))).toEqual([
          expect.objectContaining({ metadata: "é".repeat(3000) }),
          expect.objectContaining({ token_id: "2" }),
          { end: { records: 2 } }
        ])
      })
  )
})

describe("a list without an end line", () => {
  it.scopedLive("has a failure line if it fails", () =>
    Effect.gen(function*() {
      const { port } = yield* startFailing
      const { stream } = yield* receive(port, `GET ${listPath}&end=false HTTP/1.0`, "Host: localhost")
      expect(lastLineOf(Buffer.from(stream, "latin1"))).toEqual(failureLine)
    }))
})

describe("a client that is disabled", () => {
  it.scopedLive("gets the page of its list that was requested, and then the cursor", () =>
    Effect.gen(function*() {
      const { client: httpClient } = endlessList()
      const { adminPort, port } = yield* start({
        httpClient,
        config: {
          clients: [testClient("shop", "token-of-shop")],
          admin: { ...openAdmin, tokens: configuredTokens([Tokens.hash("of-alice")]) }
        }
      })
      const response = yield* open(port, `/all/api/v2.2/nft/${collection721}?chain=eth`, {
        "x-api-key": "token-of-shop"
      })
      const disable = yield* sendRequest(adminPort ?? 0, "/disable?client=shop", {
        method: "POST",
        body: "",
        headers: { authorization: "Bearer of-alice" }
      })
      expect(disable.status).toBe(200)
      let end = ""
      yield* Effect.async<void>((resume) => {
        response.on("data", (chunk: Buffer) => end = (end + chunk.toString()).slice(-1000))
        response.on("close", () => resume(Effect.void))
      })
      expect(JSON.parse(end.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
        failure: { code: "client-disabled" },
        cursor: expect.any(String)
      })
    }))
})

describe("names of third parties", () => {
  /** The line breaks of `str.splitlines` of Python. */
  const pythonLines = new RegExp(String.raw`\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]`)

  it.scopedLive("stay on one line for every reader, which also gets no half of a surrogate pair", () =>
    Effect.gen(function*() {
      const names = [
        [`a\u2028b\u2029c\u0085d`, "a\u2028b\u2029c\u0085d"],
        [String.raw`\ud800`, "\ufffd"],
        [String.raw`\uDC00\uD800`, "\ufffd\ufffd"],
        [String.raw`\ud83d\ude00 \uD83D\uDE00\ud83d`, "😀 😀\ufffd"],
        [String.raw`\\ud800 \\\ud800 \n\u0041`, "\\ud800 \\\ufffd \nA"]
      ] as const
      const records = names.map(([name], id) =>
        `{"token_address":"${token}",\r\n"token_id":"${id}","name":"${name}"}`
      )
      const httpClient = upstreamOf(({ searchParams }) =>
        searchParams.has("cursor")
          ? refusal()
          : new Response(`{"result":[${records.join()}],"cursor":"next\u2028"}`, {
            headers: { "content-type": "application/json" }
          })
      )
      const { port } = yield* start({ httpClient })
      const { stream } = yield* receive(port, `GET ${listPath} HTTP/1.0`, "host: localhost")
      const text = Buffer.from(stream, "latin1").toString()
      const lines = text.split("\r\n\r\n")[1]?.trimEnd().split(pythonLines) ?? []
      const parsed = lines.map((line): { readonly name?: string; readonly cursor?: string } =>
        JSON.parse(line)
      )
      expect(parsed.map(({ name }) => name)).toEqual([...names.map(([, name]) => name), undefined])
      expect(lines.slice(0, -1).every((line) => !/\\ud8(?!3d\\ude00)/i.test(line.replaceAll("\\\\", ""))))
        .toBe(true)
      expect(parsed.at(-1)?.cursor).toMatch(/next\u2028/)
    }))
})

describe("a whole list", () => {
  /** The records and the last line of a list with these pages, or from a cursor on. */
  const linesOf = (path: string, pages: ReadonlyArray<ReadonlyArray<unknown>>, query = "") =>
    Effect.gen(function*() {
      const { lines, port } = yield* start({
        httpClient: upstreamOf((url) => Response.json(pageOf(pages, url.searchParams.get("cursor"))))
      })
      const request = get(`/all/api/v2.2${path}?chain=eth${query}`, "Connection: close")
      const { content } = contentOf(yield* exchange(port, request))
      const all = content.toString().trimEnd().split("\n").map((line) => Object(JSON.parse(line)))
      return { records: all.slice(0, -1), last: all.at(-1), log: lines.join("\n") }
    })

  it.scopedLive.each(recordsOfLists)(
    "of $id leaves out records that the page before had too, and says how many in its last line and once in the log",
    ({ identified, path }) =>
      Effect.gen(function*() {
        if (identified === null) return
        const [one, two, three, four] = [1, 2, 3, 4].map(identified)
        const pages = [[one, two], [], [two, three], [three, two, four]]
        const { last, log, records } = yield* linesOf(path, pages)
        expect(records).toEqual(JSON.parse(JSON.stringify([one, two, three, four])))
        expect(last).toEqual({ end: { records: 4, leftOut: 3 } })
        expect(log.split("left out 3 records that the page before had too")).toHaveLength(2)
        // A bare cursor does not know the page before
        const rest = yield* linesOf(path, pages, "&cursor=after-2")
        expect(rest.records).toEqual(JSON.parse(JSON.stringify([two, three, four])))
        expect(rest.last).toEqual({ end: { records: 3, leftOut: 2 } })
      })
  )

  it.scopedLive.each(recordsOfLists)(
    "of $id has every record without an identity, and counts those that equal one of the page before in its last line and in the log",
    ({ anonymous, path }) =>
      Effect.gen(function*() {
        if (anonymous === null) return
        const [one, two] = [1, 2].map(anonymous)
        const { last, log, records } = yield* linesOf(path, [[one, two], [two, one], [one]])
        expect(records).toHaveLength(5)
        expect(log).toContain("3 without an identity may be repeated")
        expect(last).toEqual({ end: { records: 5, unidentified: 3 } })
      })
  )

  it.scopedLive.each(recordsOfLists)(
    "of $id fails after ten pages in a row with the records of the page before",
    (list) =>
      Effect.gen(function*() {
        const record = list.identified ?? list.anonymous
        const endless = Array.from({ length: 30 }, () => [record?.(1)])
        const { last, records } = yield* linesOf(list.path, endless)
        expect(records).toHaveLength(list.identified === null ? 10 : 1)
        expect(last).toMatchObject({ failure: { code: "pagination-failed" }, cursor: "after-10" })
      })
  )
})
