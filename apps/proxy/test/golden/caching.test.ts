/** Records of the cache: what clients say of it, what upstreams say, conditions, encodings, and answers that are stale. */
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
    const { ask, end, note, pass, proxy } = recorder("cache")
    await proxy("with a cache", { config: withCache })
    await ask("only what is cached, and nothing is", price, control("only-if-cached"))
    await ask("a miss", price)
    await ask("a hit", price)
    await ask("a hit in another spelling", price.replace("chain=eth", "chain=0x1"))
    await pass(2000)
    await ask("a hit two seconds later", price)
    await ask("only what is cached", price, control("only-if-cached"))
    await ask("no-cache", price, control("no-cache"))
    await ask("no-cache beside others", price, control("max-stale=5, no-cache"))
    await ask("max-age=0", price, control("max-age=0"))
    await ask("max-age=1", price, control("max-age=1"))
    await ask("Pragma: no-cache", price, { headers: ["Pragma: no-cache"] })
    await ask("no-store", price, control("no-store"))
    await ask("HEAD of a hit", price, { method: "HEAD" })
    await ask("OPTIONS beside a hit", price, { method: "OPTIONS" })
    await pass(7000)
    await ask("stale, while a new one is fetched", price)
    await ask("the new one", price)
    await pass(30_000)
    await ask("stale, where the upstream fails", price, { upstream: Array(10).fill({ status: 503 }) })
    await pass(60_000)
    await ask("too old, where the upstream fails", price, { upstream: Array(10).fill({ status: 400 }) })
    await ask("a failure is not kept", price)
    const missing = `/api/v2.2/erc20/${examples.unpricedToken}/price?chain=eth`
    await ask("what is not found", missing)
    await ask("what is not found is kept for a while", missing)
    await ask("a price at a block", `${price}&to_block=1000`)
    await pass(3_600_000)
    await ask("a price at a block is kept for long", `${price}&to_block=1000`)
    await ask(
      "a collection that is being indexed",
      `/api/v2.2/nft/${examples.unindexedCollection}?chain=eth&limit=1`
    )
    await ask(
      "it is not kept until it is indexed",
      `/api/v2.2/nft/${examples.unindexedCollection}?chain=eth&limit=1`
    )
    const change = {
      method: "POST",
      headers: ["Content-Type: application/json"],
      body: sampleRequests["updateStreamStatus"]?.body ?? ""
    }
    await ask("a change", sampleRequests["updateStreamStatus"]?.path ?? "", change)
    await ask("the same change", sampleRequests["updateStreamStatus"]?.path ?? "", change)
    const said = [
      undefined,
      "public, max-age=60, s-maxage=600",
      "no-store",
      "private, max-age=5",
      "no-cache"
    ]
    for (const [number, value] of said.entries()) {
      const path = `/api/v2.2/erc20/0x${String(number).repeat(40)}/price`
      const headers: Record<string, string> = value === undefined ? {} : { "cache-control": value }
      for (const title of ["first", "again"]) {
        await ask(`the upstream says ${value ?? "nothing"}: ${title}`, path, {
          upstream: [{ status: 200, body: `{"usdPrice":1}`, headers }]
        })
      }
    }
    const { clock, running, upstream } = await proxy("with equal requests at the same time", {
      config: withCache
    })
    upstream.script(["held"])
    const first = fetch(`http://127.0.0.1:${running.port}${price}`)
    await until("the upstream is reached", () => upstream.count() === 1)
    const second = fetch(`http://127.0.0.1:${running.port}${price}`)
    await Clock.turns(300)
    upstream.release()
    for (const response of [await first, await second]) {
      note(`${response.status} cache-status: ${response.headers.get("cache-status")}`)
      await response.text()
    }
    note(upstream.taken().join("\n"))
    clock.moveTo(clock.now())
    await end()
  }, 60_000)

  it("of conditions and encodings", async () => {
    const { ask, end, proxy } = recorder("encodings")
    await proxy("with a cache", { config: withCache })
    const [made] = await ask("gzip, made", long, encodings("gzip"))
    await ask("gzip, kept", long, encodings("gzip"))
    await ask("Brotli", long, encodings("br"))
    await ask("gzip or Brotli", long, encodings("gzip, br"))
    await ask("gzip rather than Brotli", long, encodings("br;q=0.5, gzip;q=0.9"))
    await ask("none", long)
    await ask("identity", long, encodings("identity"))
    await ask("identity rather than gzip", long, encodings("gzip;q=0.5, identity"))
    await ask("no gzip", long, encodings("gzip;q=0"))
    await ask("an unknown one", long, encodings("compress"))
    await ask("an empty list", long, encodings(""))
    await ask("x-gzip", long, encodings("x-gzip"))
    await ask("HEAD in gzip", long, { method: "HEAD", ...encodings("gzip") })
    await ask("a short body stays as it is", price, encodings("gzip, br"))
    await ask("a failure stays as it is", `${long}&order=sideways`, encodings("gzip, br"))
    const tag = made?.headers.find(([name]) => name.toLowerCase() === "etag")?.[1] ?? ""
    for (
      const [title, condition] of [
        ["its tag", tag],
        ["its tag as a strong one", tag.slice(2)],
        ["its tag among others", `"other", ${tag}`],
        ["any", "*"],
        ["another tag", "W/\"another\""],
        ["no tag", ""]
      ] as const
    ) await ask(`If-None-Match: ${title}`, long, { headers: [`If-None-Match: ${condition}`] })
    await ask("If-None-Match with gzip", long, {
      headers: [`If-None-Match: ${tag}`, "Accept-Encoding: gzip"]
    })
    await ask("If-None-Match on a HEAD", long, { method: "HEAD", headers: [`If-None-Match: ${tag}`] })
    await ask("If-None-Match with no-cache", long, {
      headers: [`If-None-Match: ${tag}`, "Cache-Control: no-cache"]
    })
    await proxy("without a cache")
    await ask("gzip", long, encodings("gzip"))
    await ask("its tag", long, { headers: [`If-None-Match: ${tag}`] })
    await end()
  }, 60_000)
})
