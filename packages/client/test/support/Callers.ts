/** Many callers of one client at once. Runs in every runtime, so it imports no value. */
import type { Client, ClientOptions } from "@blockquarry/client"

/** What makes calls wait for other calls, as options of a client. */
export const policies: Readonly<Record<string, ClientOptions>> = {
  "the queue": {},
  "a limit of one": { concurrency: { limit: 1 } },
  "a rate limit": { rateLimit: { limit: 500, window: "1 second", burst: 5, cost: 1 } },
  "two keys": {
    apiKey: [{ label: "a", key: "a" }, { label: "b", key: "b" }],
    rateLimit: { limit: 250, window: "1 second", burst: 5, cost: 1 }
  },
  coalescing: { cache: {} },
  streams: { cache: {} },
  retries: {
    retry: { baseDelay: { transient: 1 }, budget: { capacity: 1000 } },
    breaker: { minimum: 1000 }
  },
  cancelling: { concurrency: { limit: 5 } }
}

/** The address that a caller calls with. With a cache, four callers have the same. */
export const addressOf = (policy: string, caller: number): string =>
  `0x${policy === "retries" ? "ee" : "00"}${
    String(policies[policy]?.cache === undefined ? caller : caller >> 2).padStart(38, "0")
  }`

/** Returns what responds to the requests, each with a status and a JSON body. Every second of a caller who retries is a 503. */
export const makeUpstream = (): (url: URL) => readonly [status: number, body: unknown] => {
  const failed = new Set<string>()
  return ({ href, pathname, searchParams }) => {
    if (pathname.includes("/0xee") && !failed.delete(href)) {
      failed.add(href)
      return [503, {}]
    }
    if (pathname.endsWith("/price")) return [200, { usdPrice: 1.5 }]
    const page = Number(searchParams.get("cursor") ?? 0)
    const transfer = {
      transaction_hash: `0x${"12".repeat(32)}`,
      block_number: 7,
      log_index: page,
      value: "5"
    }
    return [200, { page, page_size: 1, cursor: page < 3 ? String(page + 1) : null, result: [transfer] }]
  }
}

/** `AsyncLocalStorage`, or a part of it. */
export interface Storage {
  readonly run: <A>(store: number, callback: () => A) => A
  readonly getStore: () => number | undefined
}

/**
 * Has callers call at once, each in a store of its own. Returns the number of answers, and how often what a caller gave ran
 * at all and in a store that is not that of this caller. A stream has four records.
 */
export const callAtOnce = async (
  createClient: (options: ClientOptions) => Client,
  baseUrl: string,
  policy: string,
  storage: Storage,
  callers = 100
): Promise<{ readonly answers: number; readonly ran: number; readonly elsewhere: number }> => {
  let [answers, ran, elsewhere] = [0, 0, 0]
  const expectStore = (isOwn: (store: number) => boolean) => {
    ran += 1
    const store = storage.getStore()
    if (store === undefined || !isOwn(store)) elsewhere += 1
  }
  const client = createClient({
    apiKey: "key",
    baseUrl,
    ...policies[policy],
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      const isOwn = (store: number) => url.includes(addressOf(policy, store))
      expectStore(isOwn)
      init?.signal?.addEventListener("abort", () => expectStore(isOwn))
      return fetch(input, init)
    }
  })
  const call = async (caller: number) => {
    const expectOwn = () => expectStore((store) => store === caller)
    const address = addressOf(policy, caller)
    const cancelled = new AbortController()
    const options = { onResponse: expectOwn, signal: cancelled.signal }
    const answered = () => {
      answers += 1
      expectOwn()
    }
    if (policy === "streams") {
      const list = client.walletTransfers.items({ address }, { ...options, prefetch: caller % 3 })
      for await (const _ of list) answered()
      return
    }
    // One call of five ends early, when others wait behind it.
    if (policy === "cancelling" && caller % 5 === 0) setTimeout(() => cancelled.abort(), caller % 10)
    await client.tokenPrice({ address }, options).then(answered, (error: unknown) => {
      if (!cancelled.signal.aborted) throw error
      answered()
    })
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => storage.run(caller, () => call(caller))))
  await client.close()
  return { answers, ran, elsewhere }
}
