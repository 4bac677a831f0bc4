/** What the usage of calls contains. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import { immediateRetries } from "../support/TestClients.ts"
import {
  at,
  counting,
  failed,
  interrupt,
  inTurn,
  ok,
  price,
  recorded,
  same,
  scenario,
  type Step
} from "./support/scenario.ts"

const used = (steps: ReadonlyArray<Step>) => steps.map((step) => ({ ...step, usage: true }))
const caching = { cache: ResponseCache.standard }

recorded("timeline.usage", {
  "attempts, their cost and backoff": scenario(
    { retry: immediateRetries(9) },
    inTurn(failed(500, "2"), ScriptedClient.Disconnect({ code: "ECONNRESET" })),
    used(at(0))
  ),
  "a refused connection is not charged": scenario(
    {},
    [ScriptedClient.Disconnect({ code: "ECONNREFUSED" })],
    used(at(0))
  ),
  "waits for the rate limit": scenario(
    { rateLimit: RateLimit.make({ limit: 1, window: "1 second", cost: 1 }) },
    counting,
    used(at(0, 0))
  ),
  "hits, stale responses and reloads": scenario(
    caching,
    counting,
    used([
      ...same(0, 1, 7000),
      price(8000, 1, { call: "reload", options: { cacheMode: "reload" } })
    ])
  ),
  "the first of coalesced calls is charged, also if it is interrupted": scenario(
    { ...caching, timeouts: Timeouts.standard, retry: immediateRetries(2) },
    inTurn(ScriptedClient.delayed("1 second", failed(500)), ScriptedClient.delayed("1 second", ok())),
    used([...same(0, 0), interrupt(500, "same 1")])
  )
})
