/** Records of client quotas and rate limits: headers, rejections, waiting, daily quotas, and shadow mode. */
import * as Duration from "effect/Duration"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { recorder, until } from "./support/golden.ts"

/** Costs 3 units. */
const price = sampleRequests["tokenPrice"]?.path ?? ""

const as = (token: string) => ({ headers: [`X-API-Key: ${token}`] })

const clients = [
  testClient("hourly", "of-hourly", { rateLimit: { limit: 6, window: 3_600_000 }, dailyQuota: 1000 }),
  testClient("fast", "of-fast", { rateLimit: { limit: 4, window: 2000 } }),
  testClient("daily", "of-daily", { dailyQuota: 120 }),
  testClient("little", "of-little", { rateLimit: { limit: 2, window: 1000 } }),
  testClient("free", "of-free")
]

describe("golden records", () => {
  it("of quotas", async () => {
    const { end, replay } = recorder("quotas")
    await replay("enforced", { config: { clients, cache: defaults.cache } })
    await replay("without waiting", {
      config: { clients, quotas: { ...defaults.quotas, maxWait: Duration.zero } }
    })
    await replay("in shadow mode", {
      config: { clients, cache: defaults.cache, quotas: { ...defaults.quotas, mode: "shadow" } }
    })
    await end()
  })

  it("of teams and months", async () => {
    const { end, replay } = recorder("teams")
    await replay("with a team, and a quota of all clients", {
      config: {
        clients: [
          testClient("web", "of-web", { monthlyQuota: { soft: 60, hard: 300 } }),
          testClient("app", "of-app", { dailyQuota: 300 }),
          testClient("lab", "of-lab", { monthlyQuota: { soft: 50 } })
        ],
        teams: [{
          name: "front",
          clients: ["web", "app"],
          dailyQuota: null,
          monthlyQuota: { soft: 100, hard: 200 }
        }],
        quotas: { ...defaults.quotas, billingDay: 15, dailyQuota: 350 }
      }
    })
    await end()
  })

  it("of a full queue", async () => {
    const { send, end, note, proxy } = recorder("queues")
    const { clock, running } = await proxy("with a queue for one request", {
      config: { clients, quotas: { ...defaults.quotas, maxQueue: 1 } }
    })
    await send("the first", price, as("of-fast"))
    const begun = clock.begun()
    const waiting = fetch(`http://127.0.0.1:${running.port}${price}`, {
      headers: { "x-api-key": "of-fast", "x-request-id": "waiting" }
    })
    await until("a request is queued", () => clock.begun() > begun)
    await send("another", price, as("of-fast"))
    clock.moveTo(clock.now() + 2000)
    const { status } = await waiting
    note(`the one that waited: ${status}\n`)
    await end()
  })
})
