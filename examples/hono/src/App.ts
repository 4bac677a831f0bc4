/** An HTTP API on the promise client. It is a fetch handler, so it runs wherever Hono does. */
import { type Client, encode, isClientError, stringify } from "@blockquarry/client"
import { Hono } from "hono"

/**
 * Returns the application. A program needs one client: its calls share rate limits, circuit breakers and the cache. `log` receives the
 * messages of failures, which are not for callers.
 */
export const makeApp = (client: Client, log: (message: string) => void): Hono => {
  const app = new Hono()

  app.get("/tokens/:address/price", async (context) => {
    const price = await client.tokenPrice(
      { address: context.req.param("address"), chain: "eth" },
      // Cancels the call when the caller disconnects
      { signal: context.req.raw.signal }
    )
    // JSON.stringify throws on bigint: `encode` gives strings of digits
    return context.json(encode(price))
  })

  /** Streams all transfers of a wallet as NDJSON. The next page is requested when the caller has read this one. */
  app.get("/wallets/:address/transfers", async (context) => {
    const abort = new AbortController()
    const pages = client.walletTransfers.pages(
      { address: context.req.param("address"), chain: "eth" },
      { signal: abort.signal }
    )[Symbol.asyncIterator]()
    // A failure of the first page has a status. A later one breaks the connection, so that no caller takes a part for all.
    let page = await pages.next()
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (page.done === true) return controller.close()
        const lines = page.value.result.map((transfer) => `${stringify(transfer)}\n`)
        controller.enqueue(encoder.encode(lines.join("")))
        page = await pages.next()
      },
      cancel: () => abort.abort()
    })
    return context.body(body, 200, { "content-type": "application/x-ndjson" })
  })

  app.onError((error, context) => {
    log(error.message)
    if (!isClientError(error)) return context.json({ error: "internal error" }, 500)
    switch (error.name) {
      case "InvalidInputError":
        return context.json({ error: error.summary }, 400)
      case "NotFoundError":
        return context.json({ error: "not found" }, 404)
      default:
        return context.json({ error: "temporarily unavailable; retry later" }, 503)
    }
  })

  return app
}
