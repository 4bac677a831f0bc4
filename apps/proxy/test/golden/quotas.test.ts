/** Records of quotas and rate limits of clients: headers, refusals, waits, days, and what is only counted. */
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
  testClient("daily", "of-daily", { dailyQuota: 7 }),
  testClient("little", "of-little", { rateLimit: { limit: 2, window: 1000 } }),
  testClient("free", "of-free")
]

describe("golden records", () => {
  it("of quotas", async () => {
    const { ask, end, pass, proxy } = recorder("quotas")
    await proxy("enforced", { config: { clients, cache: defaults.cache } })
    await ask("the first of two", price, as("of-hourly"))
    await ask("a hit costs the same", price, as("of-hourly"))
    await ask("the hour is used up", price, as("of-hourly"))
    await ask("what fails costs nothing", `${price}&to_block=x`, as("of-hourly"))
    await ask("OPTIONS costs nothing", price, { ...as("of-hourly"), method: "OPTIONS" })
    await ask("HEAD costs as much", price, { ...as("of-hourly"), method: "HEAD" })
    await pass(1_800_000)
    await ask("half an hour later there is half", price, as("of-hourly"))
    await ask("and no more", price, as("of-hourly"))
    await ask("in a window of two seconds: at once", price, as("of-fast"))
    await ask("after a short wait", price, as("of-fast"))
    await ask("after another", price, as("of-fast"))
    await ask("more units than the window has, which is waited for", price, as("of-little"))
    await ask("once more", price, as("of-little"))
    await ask("the day: the first", price, as("of-daily"))
    await ask("the day: the second", price, as("of-daily"))
    await ask("the day is used up", price, as("of-daily"))
    await ask("what costs less still goes", sampleRequests["ledgerTransaction"]?.path ?? "", as("of-daily"))
    await ask(
      "a list in which each page costs",
      `/all/api/v2.2/${examples.wallet}/erc20/transfers?limit=100`,
      as("of-daily")
    )
    await pass(43_200_000)
    await ask("the next day", price, as("of-daily"))
    await ask("without a limit", price, as("of-free"))
    await proxy("without waiting", {
      config: { clients, quotas: { ...defaults.quotas, maxWait: Duration.zero } }
    })
    await ask("the first", price, as("of-fast"))
    await ask("too fast", price, as("of-fast"))
    await pass(1000)
    await ask("a second later", price, as("of-fast"))
    await proxy("in shadow", {
      config: { clients, cache: defaults.cache, quotas: { ...defaults.quotas, mode: "shadow" } }
    })
    for (const number of [1, 2, 3]) await ask(`request ${number} of the hour`, price, as("of-hourly"))
    for (const number of [1, 2, 3]) await ask(`request ${number} of the day`, price, as("of-daily"))
    await ask("what the status page is told", "/status.json", {
      to: "admin",
      elsewhere: "status.json has one"
    })
    await end()
  }, 60_000)

  it("of a full queue", async () => {
    const { ask, end, note, proxy } = recorder("queues")
    const { clock, running } = await proxy("with room for one that waits", {
      config: { clients, quotas: { ...defaults.quotas, maxQueue: 1 } }
    })
    await ask("the first", price, as("of-fast"))
    const begun = clock.begun()
    const waiting = fetch(`http://127.0.0.1:${running.port}${price}`, {
      headers: { "x-api-key": "of-fast", "x-request-id": "waiting" }
    })
    await until("one waits", () => clock.begun() > begun)
    await ask("another", price, as("of-fast"))
    clock.moveTo(clock.now() + 2000)
    const { status } = await waiting
    note(`the one that waited: ${status}\n`)
    await end()
  }, 60_000)
})
