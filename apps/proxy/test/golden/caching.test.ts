/** Records of the cache: directives of clients and upstreams, conditions, encodings, and stale responses. */
import { describe, it } from "vitest"
import { sampleRequests } from "../support/sampleRequests.ts"
import * as Clock from "./support/clock.ts"
import { recorder, until, withCache } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

describe("golden records", () => {
  it("of the cache", async () => {
    const { end, note, proxy, replay } = recorder("cache")
    const withControl = (value: string) => {
      const sent = {
        upstream: [{ status: 200, body: `{"usdPrice":1}`, headers: { "cache-control": value } }]
      }
      const title = `Cache-Control of the upstream ${value}`
      return { [`${title}: first`]: sent, [`${title}: again`]: sent }
    }
    await replay("with a cache", { config: withCache }, {
      "stale if the upstream fails": { upstream: Array(10).fill({ status: 503 }) },
      "too old if the upstream fails": { upstream: Array(10).fill({ status: 400 }) },
      ...withControl("public, max-age=60, s-maxage=600"),
      ...withControl("no-store")
    })
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
    const { end, replay } = recorder("encodings")
    await replay("with a cache", { config: withCache })
    await replay("without a cache")
    await end()
  })
})
