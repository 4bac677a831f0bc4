/** The client over real sockets. */
import {
  AbortError,
  type CallOptions,
  type Client,
  ClientClosedError,
  type ClientOptions,
  ConfigurationError,
  createClient,
  InvalidInputError,
  isClientError,
  type ListOperationFunction,
  type ListOptions,
  NotFoundError,
  type OperationFunction,
  type OperationId,
  PaginationError,
  ServerError
} from "@blockquarry/client"
import type * as ApiClient from "@blockquarry/http/ApiClient"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import { DataApi, type DataApiService } from "@blockquarry/http/DataApi"
import { LedgerApi, type LedgerApiService } from "@blockquarry/http/LedgerApi"
import { StreamsApi, type StreamsApiService } from "@blockquarry/http/StreamsApi"
import type { Ledger } from "@blockquarry/sandbox/Ledger"
import { baseUrlsAt } from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { afterEach, describe, expect, it } from "vitest"
import { toPlain } from "../src/internal/Plain.ts"
import { startServer, unusedUrl, useSandbox } from "./support/Servers.ts"

type Apis = DataApiService & StreamsApiService & LedgerApiService

const running = useSandbox()

const sandboxClient = (options: ClientOptions = {}) => {
  const { apiKey, baseUrl } = running()
  return createClient({ apiKey, baseUrl, ...options })
}

const collect = async <A>(list: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const one of list) all.push(one)
  return all
}

/** The error that a promise rejects with. */
const errorOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(() => expect.fail("the promise did not reject"), (error: unknown) => error)

const address = `0x${"ab".repeat(20)}` as const

/** A page of one record, with the cursor of the next. */
const page = (block: number, cursor: string | null) => ({
  page: 0,
  page_size: 1,
  cursor,
  result: [{ transaction_hash: `0x${"12".repeat(32)}`, block_number: block, log_index: 1, value: "5" }]
})

const rejections: Array<unknown> = []
const warnings: Array<unknown> = []
process.on("unhandledRejection", (error) => rejections.push(error))
process.on("warning", (warning) => {
  if (warning.name === "MaxListenersExceededWarning") warnings.push(warning)
})

afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  expect(rejections).toEqual([])
  expect(warnings).toEqual([])
})

describe("operations", () => {
  /** The result of an effect with the layers. */
  const withLayers = <A, E>(
    use: (apis: Apis) => Effect.Effect<A, E>
  ): Promise<A> => {
    const { apiKey, baseUrl } = running()
    const { data, ledger, streams } = baseUrlsAt(baseUrl)
    return Effect.all([DataApi, StreamsApi, LedgerApi]).pipe(
      Effect.flatMap(([data, streams, ledger]) => use({ ...data, ...streams, ...ledger })),
      Effect.provide(
        Blockquarry.layer({ apiKey: Redacted.make(apiKey), baseUrls: { data, ledger, streams } })
      ),
      Effect.provide(FetchHttpClient.layer),
      Effect.runPromise
    )
  }

  const compare = <Input>(
    ofClient: (client: Client) => OperationFunction<Input, unknown>,
    ofLayers: (apis: Apis) => ApiClient.OperationFunction<Input, unknown>,
    inputOf: (examples: Ledger["examples"]) => NoInfer<Input>
  ) =>
  async () => {
    const input = inputOf(running().sandbox.ledger.examples)
    await using client = sandboxClient()
    const record = await ofClient(client)(input)
    expect(record).toStrictEqual(toPlain(await withLayers((apis) => ofLayers(apis)(input))))
    expect(Object.keys(Object(record)).length).toBeGreaterThan(1)
  }

  const compareList = <Input>(
    ofClient: (client: Client) => ListOperationFunction<Input, unknown, unknown>,
    ofLayers: (apis: Apis) => ApiClient.ListOperationFunction<Input, unknown, unknown>,
    inputOf: (examples: Ledger["examples"]) => NoInfer<Input>
  ) =>
  async () => {
    await compare(ofClient, ofLayers, inputOf)()
    const input = inputOf(running().sandbox.ledger.examples)
    await using client = sandboxClient()
    const expected = await withLayers((apis) =>
      Effect.all({
        pages: Stream.runCollect(ofLayers(apis).pages(input, { maxPages: 2 })),
        items: Stream.runCollect(ofLayers(apis).items(input, { maxItems: 50 }))
      })
    )
    const { items, pages } = ofClient(client)
    expect(await collect(pages(input, { maxPages: 2 }))).toStrictEqual(toPlain(Chunk.toArray(expected.pages)))
    expect(await collect(items(input, { maxItems: 50 }))).toStrictEqual(
      toPlain(Chunk.toArray(expected.items))
    )
    expect(expected.items.length).toBeGreaterThan(0)
  }

  const cases: { readonly [Id in OperationId]: () => Promise<void> } = {
    walletTransfers: compareList(
      (client) => client.walletTransfers,
      (apis) => apis.walletTransfers,
      ({ wallet }) => ({ address: wallet, limit: 40 })
    ),
    tokenTransfers: compareList(
      (client) => client.tokenTransfers,
      (apis) => apis.tokenTransfers,
      ({ token }) => ({ address: token, limit: 40, from_date: new Date(0) })
    ),
    contractNfts: compareList(
      (client) => client.contractNfts,
      (apis) => apis.contractNfts,
      ({ collection721 }) => ({ address: collection721, normalizeMetadata: true })
    ),
    nftOwners: compareList(
      (client) => client.nftOwners,
      (apis) => apis.nftOwners,
      ({ collection1155, tokenId1155 }) => ({ address: collection1155, token_id: tokenId1155 })
    ),
    walletNftTrades: compareList(
      (client) => client.walletNftTrades,
      (apis) => apis.walletNftTrades,
      ({ wallet }) => ({ address: wallet })
    ),
    tokenOwners: compareList(
      (client) => client.tokenOwners,
      (apis) => apis.tokenOwners,
      ({ token }) => ({ token_address: token, limit: 40 })
    ),
    nftMetadata: compare(
      (client) => client.nftMetadata,
      (apis) => apis.nftMetadata,
      ({ collection721, tokenId721 }) => ({ address: collection721, token_id: tokenId721 })
    ),
    tokenPrice: compare(
      (client) => client.tokenPrice,
      (apis) => apis.tokenPrice,
      ({ token }) => ({ address: token, include: "percent_change" } as const)
    ),
    walletChains: compare(
      (client) => client.walletChains,
      (apis) => apis.walletChains,
      ({ wallet }) => ({ address: wallet })
    ),
    updateStreamStatus: compare(
      (client) => client.updateStreamStatus,
      (apis) => apis.updateStreamStatus,
      ({ stream }) => ({ id: stream, status: "paused" } as const)
    ),
    ledgerTransaction: compare(
      (client) => client.ledgerTransaction,
      (apis) => apis.ledgerTransaction,
      ({ transaction }) => ({ txn_hash: transaction })
    )
  }

  it.each(Object.entries(cases))("%s returns what the layer returns", (_, run) => run())
})

describe("errors", () => {
  it("reject with a class of their own, with the stack of the call", async () => {
    const { sandbox } = running()
    const { collection721 } = sandbox.ledger.examples
    await using client = sandboxClient()
    const notFound = await errorOf(client.nftMetadata({ address: collection721, token_id: 10n ** 20n }))
    expect(notFound).toBeInstanceOf(NotFoundError)
    expect(notFound).toMatchObject({ operation: "nftMetadata", status: 200, retryable: false })
    expect(String(Object(notFound).stack)).toMatch(/^NotFoundError: nftMetadata: [^]*Client\.test\.ts/)
    const invalid = await errorOf(client.tokenPrice({ address: "0x1" }))
    expect(invalid).toBeInstanceOf(InvalidInputError)
    expect(isClientError(invalid)).toBe(true)
  })

  it("name unknown parameters, and those that the operation has", async () => {
    const client = createClient({ apiKey: "key", baseUrl: await unusedUrl() })
    const input = JSON.parse(`{ "address": "${address}", "limt": 3 }`)
    for (const call of [client.walletTransfers(input), collect(client.walletTransfers.items(input))]) {
      expect(await errorOf(call)).toMatchObject({
        name: "InvalidInputError",
        issues: [{
          parameter: "limt",
          reason: expect.stringContaining("unknown parameter; expected one of address, chain, ")
        }]
      })
    }
  })

  it("reject an iteration after the records that arrived", async () => {
    const server = await startServer((url) => page(url.searchParams.has("cursor") ? 6 : 7, "again"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const blocks: Array<number> = []
    const error = await errorOf((async () => {
      for await (const { block_number } of client.tokenTransfers.items({ address })) blocks.push(block_number)
    })())
    expect(error).toBeInstanceOf(PaginationError)
    expect(error).toMatchObject({ reason: "CursorRepeated" })
    expect(blocks).toEqual([7])
  })

  it("are those of a server that rejects connections", async () => {
    const url = await unusedUrl()
    await using client = createClient({ apiKey: "key", baseUrl: url, retry: { attempts: 1 } })
    expect(await errorOf(client.tokenPrice({ address }))).toMatchObject({
      name: "NetworkError",
      host: new URL(url).host,
      reason: "ECONNREFUSED",
      hint: "Check the option baseUrl and your network."
    })
  })
})

describe("signal", () => {
  it("cancels the request of a call, and is the cause of the error", async () => {
    const server = await startServer(() => null)
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const controller = new AbortController()
    const call = errorOf(client.tokenPrice({ address }, { signal: controller.signal }))
    await server.reached("/price")
    const reason = new Error("enough")
    controller.abort(reason)
    const error = await call
    expect(error).toBeInstanceOf(AbortError)
    expect(error).toMatchObject({ name: "AbortError", operation: "tokenPrice", cause: reason })
    await server.idle()
    expect(server.paths).toHaveLength(1)
  })

  it("sends nothing if it was aborted before", async () => {
    const server = await startServer(() => null)
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const signal = AbortSignal.abort("before")
    expect(await errorOf(client.tokenPrice({ address }, { signal }))).toMatchObject({ cause: "before" })
    expect(await errorOf(collect(client.tokenTransfers.items({ address }, { signal })))).toMatchObject({
      name: "AbortError"
    })
    expect(server.paths).toEqual([])
  })

  it("ends an iteration in the middle of a page request", async () => {
    const server = await startServer((url) => url.searchParams.has("cursor") ? null : page(7, "next"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const controller = new AbortController()
    const iteration = errorOf(collect(client.tokenTransfers.items({ address }, controller)))
    await server.reached("cursor=next")
    controller.abort()
    expect(await iteration).toBeInstanceOf(AbortError)
    await server.idle()
  })

  it("ends an iteration in the middle of a page", async () => {
    const { result, ...last } = page(7, null)
    const server = await startServer(() => ({ ...last, result: [...result, ...result] }))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const controller = new AbortController()
    let records = 0
    const iteration = errorOf((async () => {
      for await (const _ of client.tokenTransfers.items({ address }, controller)) {
        records++
        controller.abort()
      }
    })())
    expect(await iteration).toBeInstanceOf(AbortError)
    expect(records).toBe(1)
  })

  it("cancels the pages that an iteration fetches ahead, also between two records", async () => {
    const server = await startServer((url) => url.searchParams.has("cursor") ? null : page(7, "next"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const controller = new AbortController()
    const { signal } = controller
    const iterator = client.tokenTransfers.items({ address }, { prefetch: 1, signal })[Symbol.asyncIterator]()
    await iterator.next()
    await server.reached("cursor=next")
    controller.abort()
    await server.idle()
    expect(await errorOf(iterator.next())).toBeInstanceOf(AbortError)
  })

  it("may be shared by many calls, whose listeners are removed", async () => {
    const server = await startServer(() => ({ usdPrice: 1 }))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args))
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args))
    await Promise.all(Array.from({ length: 50 }, () => client.tokenPrice({ address }, { signal })))
    expect(listeners).toBe(0)
    expect(server.paths).toHaveLength(50)
  })

  it("of the client rejects all calls, also later ones", async () => {
    const server = await startServer(() => null)
    const controller = new AbortController()
    const client = createClient({ apiKey: "key", baseUrl: server.url, signal: controller.signal })
    const call = errorOf(client.tokenPrice({ address }))
    await server.reached("/price")
    controller.abort("shutdown")
    expect(await call).toMatchObject({ name: "AbortError", cause: "shutdown" })
    expect(await errorOf(client.tokenPrice({ address }))).toMatchObject({
      name: "AbortError",
      cause: "shutdown"
    })
    await server.idle()
    await client.close()
  })
})

describe("iteration", () => {
  it("sends nothing before it starts, and starts anew each time", async () => {
    const server = await startServer((url) => page(7, url.searchParams.has("cursor") ? null : "next"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const list = client.tokenTransfers.items({ address })
    expect(server.paths).toEqual([])
    expect(await collect(list)).toHaveLength(2)
    expect(await collect(list)).toHaveLength(2)
    expect(server.paths).toHaveLength(4)
  })

  it("checks its options when it starts, not again for each page", async () => {
    const server = await startServer((url) => page(7, url.searchParams.has("cursor") ? null : "next"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const options = { maxPages: 5 }
    const iterator = client.tokenTransfers.items({ address }, options)[Symbol.asyncIterator]()
    await iterator.next()
    Object.assign(options, { maxPage: 3 })
    expect(await iterator.next()).toMatchObject({ done: false })
  })

  it("continues after the cursor of a page", async () => {
    const server = await startServer((url) => page(7, url.searchParams.has("cursor") ? null : "next"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const [first] = await collect(client.tokenTransfers.pages({ address }, { maxPages: 1 }))
    const cursor = first?.cursor ?? undefined
    expect(cursor).toBe("next")
    const rest = await collect(client.tokenTransfers.pages({ address }, { cursor }))
    expect(rest.map((one) => one.cursor)).toEqual([null])
  })

  it("cancels the pages that it fetches ahead when a loop breaks", async () => {
    const server = await startServer((url) => url.searchParams.has("cursor") ? null : page(7, "next"))
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    for await (const _ of client.tokenTransfers.items({ address }, { prefetch: 1 })) {
      await server.reached("cursor=next")
      break
    }
    await server.idle()
    expect(server.paths).toHaveLength(2)
  })

  it("requests one page at a time for concurrent calls of next", async () => {
    let most = 0
    const server = await startServer((url) => {
      most = Math.max(most, server.inFlight())
      const number = Number(url.searchParams.get("cursor") ?? 0)
      return page(7 - number, number === 4 ? null : String(number + 1))
    })
    await using client = createClient({ apiKey: "key", baseUrl: server.url })
    const iterator = client.tokenTransfers.items({ address })[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 7 }, () => iterator.next()))
    expect(results.map(({ value }) => value?.block_number)).toEqual([7, 6, 5, 4, 3, undefined, undefined])
    expect(most).toBe(1)
  })

  it("limits the requests in flight of concurrent iterations", async () => {
    let most = 0
    let release: (() => void) | null = null
    // Responds to two requests at once, and so needs two in flight.
    const server = await startServer(async () => {
      most = Math.max(most, server.inFlight())
      if (release === null) await new Promise<void>((resolve) => release = resolve)
      else {
        release()
        release = null
      }
      return page(7, null)
    })
    await using client = createClient({ apiKey: "key", baseUrl: server.url, concurrency: { limit: 2 } })
    await Promise.all(Array.from({ length: 10 }, () => collect(client.tokenTransfers.items({ address }))))
    expect(most).toBe(2)
  })
})

describe("close", () => {
  it("cancels calls and iterations, which reject, and rejects later ones", async () => {
    const server = await startServer((url) =>
      url.pathname.endsWith("/transfers") && !url.searchParams.has("cursor") ? page(7, "next") : null
    )
    const client = createClient({ apiKey: "key", baseUrl: server.url })
    const iterator = client.tokenTransfers.items({ address }, { prefetch: 2 })[Symbol.asyncIterator]()
    await iterator.next()
    const pending = [errorOf(client.tokenPrice({ address })), errorOf(iterator.next())]
    await server.reached("/price")
    await server.reached("cursor=next")
    await Promise.all([client.close(), client.close()])
    for (const error of await Promise.all(pending)) expect(error).toBeInstanceOf(ClientClosedError)
    await server.idle()
    expect(await errorOf(client.tokenPrice({ address }))).toBeInstanceOf(ClientClosedError)
    expect(await errorOf(collect(client.tokenTransfers.pages({ address })))).toBeInstanceOf(ClientClosedError)
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(server.paths).toHaveLength(3)
  })
})

describe("options", () => {
  it("of a call take precedence over those of the client", async () => {
    const { sandbox } = running()
    await Effect.runPromise(sandbox.queueFaults({ status: 503 }))
    await using client = sandboxClient({ retry: { attempts: 3 } })
    const price = client.tokenPrice({ address: sandbox.ledger.examples.token }, { retry: { attempts: 1 } })
    expect(await errorOf(price)).toBeInstanceOf(ServerError)
  })

  const url = { apiKey: "key", baseUrl: "https://host.test" }

  const invalid: ReadonlyArray<readonly [ClientOptions, string]> = [
    [
      {},
      "apiKey: missing or undefined; pass your API key, a string; " +
      "baseUrl: missing or undefined; pass the URL of the API, as in https://host/path"
    ],
    [
      { apiKey: "key", ...JSON.parse(`{"baseURL":"https://host.test"}`) },
      "baseURL: unknown option; expected one of apiKey, baseUrl, baseUrls, timeouts, retry, rateLimit, " +
      "breaker, concurrency, cache, maxBodySize, arrayFormat, userAgent, fetch, signal; " +
      "baseUrl: missing or undefined; pass the URL of the API, as in https://host/path"
    ],
    [{ baseUrl: "https://host.test" }, "apiKey: missing or undefined; pass your API key, a string"],
    [{ ...url, ...JSON.parse(`{"stores":5}`) }, "stores: unknown option; expected one of apiKey, "],
    [
      { apiKey: "key", baseUrls: { streams: "host.test" } },
      "baseUrls.streams: not a URL; expected https://host/path"
    ],
    [
      { apiKey: "key", baseUrl: "https://host.test", retry: { attempts: 0 }, timeouts: { call: 0 } },
      "timeouts.call: expected more than 0, got 0; retry.attempts: expected an integer of at least 1, got 0"
    ],
    [JSON.parse("5"), "options: expected an object"],
    [
      { ...url, baseUrls: JSON.parse(`{"date":"https://host.test"}`) },
      "baseUrls.date: unknown option; expected one of data, streams, ledger"
    ],
    [{ ...url, retry: JSON.parse(`{"budget":5}`) }, "retry.budget: expected an object"],
    [
      { ...url, retry: JSON.parse(`{"times":5}`) },
      "retry.times: unknown option; expected one of attempts, baseDelay, maxDelay, budget"
    ],
    [
      { ...url, rateLimit: JSON.parse(`{"brust":5}`) },
      "rateLimit.limit: expected more than 0, got undefined; " +
      `rateLimit.window: expected a duration such as "5 seconds", got undefined; ` +
      "rateLimit.brust: unknown option; expected one of limit, window, "
    ],
    [
      { ...url, apiKey: [{ label: "a", key: "key", rateLimit: JSON.parse(`{"limit":5}`) }] },
      `apiKey.a.rateLimit.window: expected a duration such as "5 seconds", got undefined`
    ],
    [
      { ...url, apiKey: [{ label: "a", key: "key", rateLimit: JSON.parse("5") }] },
      "apiKey.a.rateLimit: expected an object"
    ],
    [
      { ...url, rateLimit: { limit: 5, window: 1000, cost: JSON.parse(`{"tokenPrise":3}`) } },
      "rateLimit.cost.tokenPrise: unknown option; expected one of walletTransfers, "
    ],
    [
      { ...url, fetch: JSON.parse("5"), signal: JSON.parse("{}") },
      "fetch: expected a function, got 5; signal: expected an AbortSignal, got an object"
    ],
    [
      { ...url, apiKey: JSON.parse("5") },
      "apiKey: expected a string, or a list of objects with label and key"
    ]
  ]

  it.each(invalid)("%j are rejected", (options, message) => {
    const error = expect(() => createClient(options))
    error.toThrow(ConfigurationError)
    error.toThrow(message)
  })

  it("of a call are checked, and reject it", async () => {
    await using client = createClient(url)
    const issuesOf = async (options: CallOptions) =>
      Object(await errorOf(client.tokenPrice({ address }, options))).issues
    expect(await issuesOf(JSON.parse("null"))).toEqual([{
      parameter: "options",
      reason: "expected an object, got null"
    }])
    expect(await issuesOf({ signal: JSON.parse("5") })).toEqual([
      { parameter: "signal", reason: "expected an AbortSignal, got 5" }
    ])
    expect(await issuesOf({ retry: JSON.parse("7") })).toMatchObject([{ parameter: "retry" }])
    expect(await issuesOf(JSON.parse(`{"times":5,"maxItems":5}`))).toEqual(
      ["times", "maxItems"].map((parameter) => ({
        parameter,
        reason: "unknown option; expected one of retry, timeouts, cacheMode, signal"
      }))
    )
  })

  it("of a list are checked, and reject it", async () => {
    await using client = createClient(url)
    const untyped: ListOptions = JSON.parse(`{"maxItem":5}`)
    const { items, pages } = client.walletTransfers
    for (const list of [items({ address }, untyped), pages({ address }, untyped)]) {
      expect(await errorOf(collect<unknown>(list))).toMatchObject({
        name: "InvalidInputError",
        issues: [{
          parameter: "maxItem",
          reason: "unknown option; expected one of retry, timeouts, cacheMode, signal, cursor, maxPages, " +
            "maxItems, prefetch"
        }]
      })
    }
  })

  it("need no API key for the ledger API alone, and reject calls of other APIs", async () => {
    const server = await startServer(() => ({ type: "pending_transaction", hash: `0x${"12".repeat(32)}` }))
    await using client = createClient({ baseUrls: { ledger: server.url } })
    expect(await client.ledgerTransaction({ txn_hash: `0x${"12".repeat(32)}` })).toMatchObject({
      type: "pending_transaction"
    })
    for (const call of [client.tokenPrice({ address }), collect(client.tokenTransfers.items({ address }))]) {
      expect(await errorOf(call)).toMatchObject({
        name: "ConfigurationError",
        issues: [{ option: "baseUrls.data" }]
      })
    }
  })

  it("select the function that sends requests", async () => {
    const urls: Array<string> = []
    await using client = createClient({
      apiKey: "key",
      baseUrl: "https://host.test",
      fetch: (input) => {
        urls.push(String(input))
        return Promise.resolve(Response.json({ usdPrice: 1.5 }))
      }
    })
    expect((await client.tokenPrice({ address })).usdPrice).toBe(1.5)
    expect(urls).toEqual([`https://host.test/api/v2.2/erc20/${address}/price`])
  })

  const response = { status: 200, headers: new Headers(), body: null }
  const notResponses: Array<unknown> = [
    undefined,
    "{}",
    { ok: true, json: () => Promise.resolve({}) },
    { ...response, status: "200" },
    { ...response, headers: 5 },
    { ...response, body: "{}" }
  ]

  it.each(notResponses)("reject calls if fetch returns no Response: %j", async (value) => {
    let requests = 0
    const fetch = () => (requests++, Promise.resolve(value))
    await using client = createClient({ ...url, ...Object({ fetch }) })
    expect(await errorOf(client.tokenPrice({ address }))).toMatchObject({
      name: "ConfigurationError",
      issues: [{ option: "fetch" }]
    })
    expect(requests).toBe(1)
  })

  it("enable the cache, whose records are not shared between calls", async () => {
    const server = await startServer(() => ({ usdPrice: 1.5 }))
    await using client = createClient({ apiKey: "key", baseUrl: server.url, cache: { enabled: true } })
    const first = await client.tokenPrice({ address })
    Object.assign(first, { usdPrice: 2 })
    expect((await client.tokenPrice({ address })).usdPrice).toBe(1.5)
    expect((await client.tokenPrice({ address }, { cacheMode: "reload" })).usdPrice).toBe(1.5)
    expect(server.paths).toHaveLength(2)
  })
})
