/** The client over real sockets. */
import {
  AbortError,
  type CallOptions,
  type Client,
  ClientClosedError,
  type ClientOptions,
  ConfigurationError,
  createClient,
  encode,
  InvalidInputError,
  isClientError,
  type JsonValue,
  type ListOptions,
  NotFoundError,
  PaginationError
} from "@blockquarry/client"
import { type AnyOperation, isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import { DataApi } from "@blockquarry/http/DataApi"
import { LedgerApi } from "@blockquarry/http/LedgerApi"
import { StreamsApi } from "@blockquarry/http/StreamsApi"
import { baseUrlsAt } from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterEach, describe, expect, expectTypeOf, it } from "vitest"
import { documentHash, ledgerDocuments, lostMembers } from "../../core/test/support/ledgerDocuments.ts"
import { toPlain } from "../src/internal/Plain.ts"
import { type Script, type Server, startServer, useSandbox } from "./support/Servers.ts"

const running = useSandbox()

const sandboxClient = (options: ClientOptions = {}) => {
  const { apiKey, baseUrl } = running()
  return createClient({ apiKey, baseUrl, decoding: "strict", ...options })
}

const clients: Array<Client> = []

/** A client of a server, which are closed after the test. */
const start = async (
  script: Script,
  options: ClientOptions = {}
): Promise<{ readonly client: Client; readonly server: Server }> => {
  const server = await startServer(script)
  const client = createClient({ apiKey: "key", baseUrl: server.url, ...options })
  clients.push(client)
  return { client, server }
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
  result: [{
    transaction_hash: `0x${"12".repeat(32)}`,
    block_number: block,
    log_index: block * 2 + (cursor === null ? 1 : 0),
    value: "5"
  }]
})

/** Two pages. */
const twoPages: Script = (url) => page(7, url.searchParams.has("cursor") ? null : "next")

/** A page, and a second one that never ends. */
const unfinished: Script = (url) => url.searchParams.has("cursor") ? null : page(7, "next")

const rejections: Array<unknown> = []
const warnings: Array<unknown> = []
process.on("unhandledRejection", (error) => rejections.push(error))
process.on("warning", (warning) => {
  if (warning.name === "MaxListenersExceededWarning") warnings.push(warning)
})

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await new Promise((resolve) => setImmediate(resolve))
  expect([rejections, warnings]).toEqual([[], []])
})

/** Calls a function of an object by its path. */
const call = (
  target: unknown,
  path: ReadonlyArray<string>,
  ...parameters: ReadonlyArray<unknown>
): unknown => {
  const found: unknown = path.reduce<unknown>((value, name) => Reflect.get(Object(value), name), target)
  if (typeof found !== "function") throw new Error(`${path.join(".")} is no function`)
  return Reflect.apply(found, undefined, parameters)
}

const asList = (value: unknown): AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value
    ? { [Symbol.asyncIterator]: () => Object(value)[Symbol.asyncIterator]() }
    : expect.fail("no list")

describe("an operation", () => {
  /** What the Effect client returns, in the plain form. */
  const ofLayers = async (id: string, input: unknown): Promise<unknown> => {
    const { apiKey, baseUrl } = running()
    const { data, ledger, streams } = baseUrlsAt(baseUrl)
    const result = await Effect.all([DataApi, StreamsApi, LedgerApi]).pipe(
      Effect.flatMap(([data, streams, ledger]) => {
        const effect = call({ ...data, ...streams, ...ledger }, [id], input)
        return Effect.isEffect(effect)
          ? Effect.provide(effect, Context.unsafeMake<unknown>(new Map()))
          : Effect.die(effect)
      }),
      Effect.provide(
        Blockquarry.layer({ apiKey: Redacted.make(apiKey), baseUrls: { data, ledger, streams } })
      ),
      Effect.provide(FetchHttpClient.layer),
      Effect.runPromise
    )
    return toPlain(result)
  }

  const operations = allOperations.map((operation: AnyOperation) => [operation.id, operation] as const)

  it.each(operations)("%s answers as the Effect client does, also as a list", async (id, operation) => {
    const input: unknown = operation.example?.(running().sandbox.ledger.examples)
    await using client = sandboxClient()
    const expected = await ofLayers(id, input)
    expect(await call(client, [id], input)).toStrictEqual(expected)
    if (!isList(operation)) return
    const { cursor } = Object(expected)
    const rest = typeof cursor === "string" ? [await ofLayers(id, { ...Object(input), cursor })] : []
    const pages = await collect(asList(call(client, [id, "pages"], input, { maxPages: 2 })))
    expect(pages).toStrictEqual([expected, ...rest])
    const records = pages.flatMap((page): ReadonlyArray<unknown> => Object(page).result)
    const items = asList(call(client, [id, "items"], input, { maxItems: records.length }))
    expect(await collect(items)).toStrictEqual(records)
  })
})

it("a transaction keeps every member, also with strict decoding", async () => {
  let document: unknown = null
  const { client } = await start(() => document, { decoding: "strict" })
  for (const [name, of] of ledgerDocuments) {
    document = of
    const transaction = await client.ledgerTransaction({ txn_hash: documentHash.slice(2) })
    const all = transaction.type === "other" ? transaction.document : encode(transaction)
    expect([name, lostMembers(document, all)]).toEqual([name, []])
    if (transaction.type !== "user_transaction") continue
    const { payload, signature } = transaction
    expectTypeOf(payload?.["multisig_address"]).toEqualTypeOf<JsonValue | undefined>()
    expect([payload, signature]).toMatchObject([of["payload"], of["signature"]])
  }
})

describe("errors", () => {
  it("reject with a class of their own, with the stack of the call", async () => {
    const { collection721 } = running().sandbox.ledger.examples
    await using client = sandboxClient()
    const notFound = await errorOf(client.nftMetadata({ address: collection721, token_id: 10n ** 20n }))
    expect(notFound).toBeInstanceOf(NotFoundError)
    expect(String(Object(notFound).stack)).toMatch(/^NotFoundError: nftMetadata: [^]*Client\.test\.ts/)
    const invalid = await errorOf(client.tokenPrice({ address: "0x1" }))
    expect([invalid instanceof InvalidInputError, isClientError(invalid)]).toEqual([true, true])
  })

  it("reject an iteration after the records that arrived", async () => {
    const { client } = await start((url) => page(url.searchParams.has("cursor") ? 6 : 7, "again"))
    const blocks: Array<number> = []
    const error = await errorOf((async () => {
      for await (const { block_number } of client.tokenTransfers.items({ address })) blocks.push(block_number)
    })())
    expect(error).toBeInstanceOf(PaginationError)
    expect(blocks).toEqual([7])
  })
})

describe("signal", () => {
  it("cancels the request of a call, and is the cause of the error", async () => {
    const { client, server } = await start(() => null)
    const controller = new AbortController()
    const price = errorOf(client.tokenPrice({ address }, { signal: controller.signal }))
    await server.reached("/price")
    const reason = new Error("enough")
    controller.abort(reason)
    const error = await price
    expect(error).toBeInstanceOf(AbortError)
    expect(error).toMatchObject({ name: "AbortError", operation: "tokenPrice", cause: reason })
    await server.idle()
  })

  it("sends nothing if it was aborted before", async () => {
    const { client, server } = await start(() => null)
    const signal = AbortSignal.abort("before")
    for (
      const call of [
        client.tokenPrice({ address }, { signal }),
        collect(client.tokenTransfers.items({ address }, { signal }))
      ]
    ) expect(await errorOf(call)).toMatchObject({ name: "AbortError", cause: "before" })
    expect(server.paths).toEqual([])
  })

  it("ends an iteration in the middle of a page", async () => {
    const { result, ...last } = page(7, null)
    const { client } = await start(() => ({ ...last, result: [...result, ...result] }))
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

  it("cancels the pages that an iteration fetches, also ahead between two records", async () => {
    const { client, server } = await start(unfinished)
    for (const prefetch of [0, 1]) {
      const controller = new AbortController()
      const { signal } = controller
      const iterator = client.tokenTransfers.items({ address }, { prefetch, signal })[Symbol.asyncIterator]()
      await iterator.next()
      const next = prefetch === 0 ? errorOf(iterator.next()) : undefined
      await server.reached("cursor=next", 1 + prefetch)
      controller.abort()
      await server.idle()
      expect(await (next ?? errorOf(iterator.next()))).toBeInstanceOf(AbortError)
    }
  })

  it("may be shared by many calls, whose listeners are removed", async () => {
    const { client, server } = await start(() => ({ usdPrice: 1 }))
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args))
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args))
    await Promise.all(Array.from({ length: 50 }, () => client.tokenPrice({ address }, { signal })))
    expect([listeners, server.paths.length]).toEqual([0, 50])
  })

  it("of the client rejects all calls, also later ones", async () => {
    const controller = new AbortController()
    const { client, server } = await start(() => null, { signal: controller.signal })
    const price = errorOf(client.tokenPrice({ address }))
    await server.reached("/price")
    controller.abort("shutdown")
    for (const error of [await price, await errorOf(client.tokenPrice({ address }))]) {
      expect(error).toMatchObject({ name: "AbortError", cause: "shutdown" })
    }
    await server.idle()
  })
})

describe("iteration", () => {
  it("sends nothing before it starts, and starts anew each time", async () => {
    const { client, server } = await start(twoPages)
    const list = client.tokenTransfers.items({ address })
    expect(server.paths).toEqual([])
    expect(await collect(list)).toHaveLength(2)
    expect(await collect(list)).toHaveLength(2)
    expect(server.paths).toHaveLength(4)
  })

  it("cancels the pages that it fetches ahead when a loop breaks", async () => {
    const { client, server } = await start(unfinished)
    for await (const _ of client.tokenTransfers.items({ address }, { prefetch: 1 })) {
      await server.reached("cursor=next")
      break
    }
    await server.idle()
    expect(server.paths).toHaveLength(2)
  })

  it("requests one page at a time for concurrent calls of next", async () => {
    let most = 0
    const { client } = await start((url, inFlight) => {
      most = Math.max(most, inFlight)
      const number = Number(url.searchParams.get("cursor") ?? 0)
      return page(7 - number, number === 4 ? null : String(number + 1))
    })
    const iterator = client.tokenTransfers.items({ address })[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 7 }, () => iterator.next()))
    expect(results.map(({ value }) => value?.block_number)).toEqual([7, 6, 5, 4, 3, undefined, undefined])
    expect(most).toBe(1)
  })
})

it("close cancels calls and iterations, which reject, and rejects later ones", async () => {
  const { client, server } = await start((url, inFlight) =>
    url.pathname.endsWith("/transfers") ? unfinished(url, inFlight) : null
  )
  const iterator = client.tokenTransfers.items({ address }, { prefetch: 2 })[Symbol.asyncIterator]()
  await iterator.next()
  const pending = [errorOf(client.tokenPrice({ address })), errorOf(iterator.next())]
  await server.reached("/price")
  await server.reached("cursor=next")
  await Promise.all([client.close(), client.close()])
  await server.idle()
  pending.push(errorOf(client.tokenPrice({ address })))
  pending.push(errorOf(collect(client.tokenTransfers.pages({ address }))))
  for (const error of await Promise.all(pending)) expect(error).toBeInstanceOf(ClientClosedError)
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
  expect(server.paths).toHaveLength(3)
})

describe("options", () => {
  const url = { apiKey: "key", baseUrl: "https://host.test" }
  const missingUrl = "baseUrl: missing or undefined; pass the URL of the API, as in https://host/path"

  const invalid: ReadonlyArray<readonly [ClientOptions, string]> = [
    [{}, `apiKey: missing or undefined; pass your API key, a string; ${missingUrl}`],
    [
      { apiKey: "key", ...JSON.parse(`{"baseURL":"https://host.test"}`) },
      "baseURL: unknown option; expected one of apiKey, baseUrl, baseUrls, timeouts, retry, rateLimit, " +
      `breaker, concurrency, cache, maxBodySize, arrayFormat, decoding, onResponse, userAgent, weightHeader, fetch, signal; ${missingUrl}`
    ],
    [JSON.parse("5"), "options: expected an object, got 5"],
    [
      { ...url, baseUrls: { streams: "host.test", ...JSON.parse(`{"date":"https://host.test"}`) } },
      "baseUrls.date: unknown option; expected one of data, streams, ledger; " +
      "baseUrls.streams: not a URL; expected https://host/path"
    ],
    [
      { ...url, retry: { attempts: 0 }, timeouts: { call: 0 } },
      "timeouts.call: expected more than 0, got 0; retry.attempts: expected an integer of at least 1, got 0"
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
    expect(() => createClient(options)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", message })
    )
    expect(() => createClient(options)).toThrow(ConfigurationError)
  })

  it("say what happens to fields that cannot be read, and observe responses", async () => {
    const seen: Array<readonly [unreadable: string, json: unknown]> = []
    const { client } = await start(() => ({ usdPrice: 1.5, tokenLogo: {}, later: [1] }), {
      onResponse: ({ json, unreadable }) => void seen.push([JSON.stringify(unreadable), json()])
    })
    expect(await client.tokenPrice({ address })).toMatchObject({ usdPrice: 1.5, tokenLogo: null })
    const field = {
      field: "tokenLogo",
      path: "tokenLogo",
      reason: "expected a string or null, got an object"
    }
    expect(seen).toEqual([[JSON.stringify([field]), { usdPrice: 1.5, tokenLogo: {}, later: [1] }]])
    expect(await errorOf(client.tokenPrice({ address }, { decoding: "strict" }))).toMatchObject({
      name: "InvalidResponseError",
      path: "tokenLogo"
    })
  })

  it("of a call and of a list are checked, and reject it", async () => {
    await using client = createClient(url)
    const issuesOf = async (promise: PromiseLike<unknown>) => Object(await errorOf(promise)).issues
    const ofCall = (json: string) => {
      const options: CallOptions = JSON.parse(json)
      return issuesOf(client.tokenPrice({ address }, options))
    }
    const known =
      "unknown option; expected one of retry, timeouts, cacheMode, apiKey, query, decoding, onResponse, signal"
    expect(await ofCall("null")).toEqual([{
      parameter: "options",
      reason: "expected an object, got null"
    }])
    expect(await ofCall(`{"times":5,"signal":5,"maxItems":5}`)).toEqual([
      { parameter: "signal", reason: "expected an AbortSignal, got 5" },
      { parameter: "times", reason: known },
      { parameter: "maxItems", reason: known }
    ])
    const options: ListOptions = JSON.parse(`{"maxItem":5}`)
    const { items, pages } = client.walletTransfers
    for (const list of [items({ address }, options), pages({ address }, options)]) {
      expect(await issuesOf(collect<unknown>(list))).toEqual([
        { parameter: "maxItem", reason: `${known}, cursor, maxPages, maxItems, prefetch, previous, onPage` }
      ])
    }
  })

  it("need no API key for the ledger API alone, and reject calls of other APIs", async () => {
    const txn_hash = `0x${"12".repeat(32)}`
    const server = await startServer(() => ({ type: "pending_transaction", hash: txn_hash }))
    await using client = createClient({ baseUrls: { ledger: server.url } })
    expect(await client.ledgerTransaction({ txn_hash })).toMatchObject({ type: "pending_transaction" })
    for (const call of [client.tokenPrice({ address }), collect(client.tokenTransfers.items({ address }))]) {
      expect(await errorOf(call)).toMatchObject({
        name: "ConfigurationError",
        issues: [{ option: "baseUrls.data" }]
      })
    }
  })

  it("enable the cache, whose records are not shared between calls", async () => {
    const { client, server } = await start(() => ({ usdPrice: 1.5 }), { cache: { enabled: true } })
    Object.assign(await client.tokenPrice({ address }), { usdPrice: 2 })
    expect((await client.tokenPrice({ address })).usdPrice).toBe(1.5)
    expect((await client.tokenPrice({ address }, { cacheMode: "reload" })).usdPrice).toBe(1.5)
    expect(server.paths).toHaveLength(2)
  })
})
