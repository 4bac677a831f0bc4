/** Records of client quotas and rate limits: headers, rejections, waiting, daily quotas, and shadow mode. */
import * as Duration from "effect/Duration"
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, recorder, until } from "./support/golden.ts"

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
    const { send, end, pass, proxy } = recorder("quotas")
    await proxy("enforced", { config: { clients, cache: defaults.cache } })
    await send("the first of two", price, as("of-hourly"))
    await send("a hit costs the same", price, as("of-hourly"))
    await send("the hourly limit is exhausted", price, as("of-hourly"))
    await send("an invalid request costs nothing", `${price}&to_block=x`, as("of-hourly"))
    await send("OPTIONS costs nothing", price, { ...as("of-hourly"), method: "OPTIONS" })
    await send("HEAD costs as much", price, { ...as("of-hourly"), method: "HEAD" })
    await pass(1_800_000)
    await send("after half an hour, half of the limit is available", price, as("of-hourly"))
    await send("no more than half", price, as("of-hourly"))
    await send("at once, in a window of two seconds", price, as("of-fast"))
    await send("queued for one second", price, as("of-fast"))
    await send("queued again", price, as("of-fast"))
    await send("a cost over the limit is queued", price, as("of-little"))
    await send("once more", price, as("of-little"))
    await send("within the daily quota: first", price, as("of-daily"))
    await send("within the daily quota: second", price, as("of-daily"))
    await send("the daily quota is exhausted", price, as("of-daily"))
    await send(
      "a cheaper operation still succeeds",
      sampleRequests["ledgerTransaction"]?.path ?? "",
      as("of-daily")
    )
    await send(
      "a list is charged per page",
      `/all/api/v2.2/${examples.wallet}/erc20/transfers?limit=100`,
      as("of-daily")
    )
    await pass(43_200_000)
    await send("the next day", price, as("of-daily"))
    await send("without a limit", price, as("of-free"))
    await proxy("without waiting", {
      config: { clients, quotas: { ...defaults.quotas, maxWait: Duration.zero } }
    })
    await send("the first", price, as("of-fast"))
    await send("over the rate limit", price, as("of-fast"))
    await pass(1000)
    await send("a second later", price, as("of-fast"))
    await proxy("in shadow mode", {
      config: { clients, cache: defaults.cache, quotas: { ...defaults.quotas, mode: "shadow" } }
    })
    for (const number of [1, 2, 3]) await send(`request ${number}, hourly limit`, price, as("of-hourly"))
    for (const number of [1, 2, 3]) await send(`request ${number}, daily quota`, price, as("of-daily"))
    await end()
  })

  it("of teams and months", async () => {
    const { send, end, pass, proxy } = recorder("teams")
    await proxy("with a team, and a quota of all clients", {
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
    await send("within all quotas", price, as("of-web"))
    await send("over two soft quotas", price, as("of-web"))
    await send("another client of the team", price, as("of-app"))
    await send("the last units of the team", price, as("of-app"))
    await send("the quota of the team is used up", price, as("of-app"))
    await send("for the first client, too", price, as("of-web"))
    await send("a client of no team", price, as("of-lab"))
    await send("a soft quota does not reject", price, as("of-lab"))
    await send("the last units of all clients", price, as("of-lab"))
    await send("the quota of all clients is used up", price, as("of-lab"))
    await pass(86_400_000)
    await send("the next day", price, as("of-lab"))
    await send("the team waits for its month", price, as("of-web"))
    await pass(31 * 86_400_000)
    await send("the next month", price, as("of-web"))
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
