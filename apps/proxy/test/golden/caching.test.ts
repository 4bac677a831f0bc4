/** Records of the cache: directives of clients and upstreams, conditions, encodings, and stale responses. */
import { describe, it } from "vitest"
import { sampleRequests } from "../support/sampleRequests.ts"
import * as Clock from "./support/clock.ts"
import { examples, recorder, until, withCache } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const long = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=50`

const control = (value: string) => ({ headers: [`Cache-Control: ${value}`] })

const encodings = (value: string) => ({ headers: [`Accept-Encoding: ${value}`] })

describe("golden records", () => {
  it("of the cache", async () => {
    const { send, end, note, pass, proxy } = recorder("cache")
    await proxy("with a cache", { config: withCache })
    await send("only-if-cached, not cached", price, control("only-if-cached"))
    await send("a miss", price)
    await send("a hit", price)
    await send("a hit for an equivalent URL", price.replace("chain=eth", "chain=0x1"))
    await pass(2000)
    await send("a hit two seconds later", price)
    await send("only-if-cached", price, control("only-if-cached"))
    await send("no-cache", price, control("no-cache"))
    await send("max-age=0", price, control("max-age=0"))
    await send("Pragma: no-cache", price, { headers: ["Pragma: no-cache"] })
    await send("no-store", price, control("no-store"))
    await send("HEAD of a hit", price, { method: "HEAD" })
    await send("OPTIONS beside a hit", price, { method: "OPTIONS" })
    await pass(7000)
    await send("stale while revalidating", price)
    await send("the revalidated response", price)
    await pass(30_000)
    await send("stale if the upstream fails", price, { upstream: Array(10).fill({ status: 503 }) })
    await pass(60_000)
    await send("too old if the upstream fails", price, { upstream: Array(10).fill({ status: 400 }) })
    await send("a failure is not cached", price)
    const missing = `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`
    await send("not found", missing)
    await send("not found is cached briefly", missing)
    await send("a price at a block", `${price}&to_block=1000`)
    await pass(3_600_000)
    await send("a price at a block is cached for long", `${price}&to_block=1000`)
    await send(
      "a collection that is being indexed",
      `/api/v2.2/nft/${examples.unindexedCollection}?chain=eth&limit=1`
    )
    await send(
      "it is not cached until it is indexed",
      `/api/v2.2/nft/${examples.unindexedCollection}?chain=eth&limit=1`
    )
    const change = {
      method: "POST",
      headers: ["Content-Type: application/json"],
      body: sampleRequests["updateStreamStatus"]?.body ?? ""
    }
    await send("an update", sampleRequests["updateStreamStatus"]?.path ?? "", change)
    await send("the same update", sampleRequests["updateStreamStatus"]?.path ?? "", change)
    const cacheControls = [
      undefined,
      "public, max-age=60, s-maxage=600",
      "no-store"
    ]
    for (const [number, value] of cacheControls.entries()) {
      const path = `/api/v2.2/erc20/0x${String(number).repeat(40)}/price`
      const headers: Record<string, string> = value === undefined ? {} : { "cache-control": value }
      for (const title of ["first", "again"]) {
        await send(
          `${
            value === undefined
              ? "without Cache-Control of the upstream"
              : `Cache-Control of the upstream ${value}`
          }: ${title}`,
          path,
          {
            upstream: [{ status: 200, body: `{"usdPrice":1}`, headers }]
          }
        )
      }
    }
    const { clock, running, upstream } = await proxy("with identical concurrent requests", {
      config: withCache
    })
    upstream.script(["held"])
    const first = fetch(`http://127.0.0.1:${running.port}${price}`)
    await until("the upstream receives a request", () => upstream.count() === 1)
    const second = fetch(`http://127.0.0.1:${running.port}${price}`)
    await Clock.turns(300)
    upstream.release()
    for (const response of [await first, await second]) {
      note(`${response.status} cache-status: ${response.headers.get("cache-status")}`)
      await response.text()
    }
    note(upstream.takeRequests().join("\n"))
    clock.moveTo(clock.now())
    await end()
  })

  it("of conditions and encodings", async () => {
    const { send, end, proxy } = recorder("encodings")
    await proxy("with a cache", { config: withCache })
    const [made] = await send("gzip, compressed now", long, encodings("gzip"))
    await send("gzip, from the cache", long, encodings("gzip"))
    await send("Brotli", long, encodings("br"))
    await send("gzip or Brotli", long, encodings("gzip, br"))
    await send("no encoding", long)
    await send("HEAD in gzip", long, { method: "HEAD", ...encodings("gzip") })
    await send("a short body is not compressed", price, encodings("gzip, br"))
    await send("an error response is not compressed", `${long}&order=sideways`, encodings("gzip, br"))
    const tag = made?.headers.find(([name]) => name.toLowerCase() === "etag")?.[1] ?? ""
    for (
      const [title, condition] of [
        ["its tag", tag],
        ["its tag as a strong one", tag.slice(2)],
        ["its tag among others", `"other", ${tag}`],
        ["any", "*"],
        ["another tag", "W/\"another\""]
      ] as const
    ) await send(`If-None-Match: ${title}`, long, { headers: [`If-None-Match: ${condition}`] })
    await send("If-None-Match with gzip", long, {
      headers: [`If-None-Match: ${tag}`, "Accept-Encoding: gzip"]
    })
    await send("If-None-Match on a HEAD", long, { method: "HEAD", headers: [`If-None-Match: ${tag}`] })
    await send("If-None-Match with no-cache", long, {
      headers: [`If-None-Match: ${tag}`, "Cache-Control: no-cache"]
    })
    await proxy("without a cache")
    await send("gzip", long, encodings("gzip"))
    await send("its tag", long, { headers: [`If-None-Match: ${tag}`] })
    await end()
  })
})
