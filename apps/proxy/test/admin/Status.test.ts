/** The limits of clients, teams and all clients in the status. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Status from "../../src/admin/Status.ts"
import { defaults } from "../../src/config/Config.ts"
import { openAdmin, sendRequest, start, testClient } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

it.scopedLive("the status has each quota once, with its soft limit and whether it warns", () =>
  Effect.gen(function*() {
    const { adminPort, port } = yield* start({
      clock: () => Date.UTC(2030, 0, 10, 12),
      config: {
        admin: openAdmin,
        clients: [
          testClient("shop", "of-shop", {
            rateLimit: { limit: 100, window: 1000 },
            dailyQuota: { soft: 50, hard: 200 }
          }),
          testClient("lab", "of-lab"),
          testClient("web", "of-web", { monthlyQuota: { soft: 50 } })
        ],
        teams: [{ name: "front", clients: ["shop", "lab"], dailyQuota: 300, monthlyQuota: null }],
        quotas: { ...defaults.quotas, monthlyQuota: { soft: 1000 }, billingDay: 15 }
      }
    })
    const price = sampleRequests["tokenPrice"]?.path ?? ""
    yield* sendRequest(port, price, { headers: { "x-api-key": "of-shop" } })
    const { text } = yield* sendRequest(adminPort ?? 0, "/status.json")
    const { clients, quotas }: Status.Status = JSON.parse(text)
    const day = 12 * 3600
    const month = 4.5 * 24 * 3600
    const other = { shadow: false, warned: false, soft: null }
    expect(quotas).toEqual([
      { ...other, team: "front", name: "team-day", limit: 300, remaining: 250, resetSeconds: day },
      {
        ...other,
        team: null,
        name: "all-month",
        limit: 1000,
        remaining: 950,
        soft: 1000,
        resetSeconds: month
      }
    ])
    expect(clients.map(({ name, quotas }) => [name, quotas])).toEqual([
      ["shop", [
        { ...other, name: "second", limit: 100, remaining: expect.any(Number), resetSeconds: 1 },
        { ...other, name: "day", limit: 200, remaining: 150, soft: 50, warned: true, resetSeconds: day }
      ]],
      ["lab", []],
      ["web", [{ ...other, name: "month", limit: 50, remaining: 50, soft: 50, resetSeconds: month }]]
    ])
  }))
