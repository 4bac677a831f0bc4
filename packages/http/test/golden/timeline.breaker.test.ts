/** Circuit breakers: when they open and close, and which results count. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import {
  at,
  everywhere,
  failed,
  interrupt,
  inTurn,
  ok,
  price,
  recorded,
  retry,
  scenario,
  shared,
  tooLarge
} from "./support/scenario.ts"

const breaking = {
  breaker: { ...CircuitBreaker.standard, minimum: 3, maxOpenDuration: "15 seconds" as const }
}
const failsUntil = (end: number) => ({ at }: ScriptedClient.RecordedRequest) => at < end ? failed(500) : ok()
const limited = (window: number) => ({
  ...breaking,
  rateLimit: RateLimit.make({ limit: 1, window, cost: 1, burst: 3 })
})
const client = (name: string) => ({ by: { name, weight: 1, share: 1 } })

recorded("timeline.breaker", {
  "the trial fails: open twice as long, up to maxOpenDuration": scenario(
    breaking,
    failsUntil(30_000),
    at(0, 0, 0, 5000, 5001, 15_000, 15_001, 29_999, 30_000, 30_001)
  ),
  "calls during a trial": scenario(
    breaking,
    ({ at }) => at < 1000 ? failed(500) : ScriptedClient.delayed("1 second", ok()),
    at(0, 0, 0, 5000, 5500, 6500)
  ),
  "a trial that is interrupted": scenario(
    breaking,
    ({ at }) => at < 1000 ? failed(500) : at < 6000 ? ScriptedClient.Hang() : ok(),
    [...at(0, 0, 0, 5000), interrupt(5500, "price 4"), price(6000, 9, { call: "next" })]
  ),
  "timeouts, connection errors, incomplete bodies, 408 and 599 count": scenario(
    { breaker: { ...breaking.breaker, minimum: 5, threshold: 1 }, timeouts: Timeouts.standard },
    inTurn(
      ScriptedClient.Hang(),
      ScriptedClient.Disconnect({ code: "ECONNRESET" }),
      ScriptedClient.respond(200, "<html>"),
      failed(408),
      failed(599)
    ),
    at(0, 0, 0, 0, 0, 11_000)
  ),
  "calls that exceed the attempt timeout count, whose own timeout is not shorter": scenario(
    { ...breaking, timeouts: { attempt: "10 seconds", call: "1 second" } },
    () => ScriptedClient.Hang(),
    at(0, 0, 0, 2000)
  ),
  "interrupted calls, and those with a shorter timeout, do not count": scenario(
    { ...breaking, timeouts: Timeouts.standard },
    (_, number) => number <= 6 ? ScriptedClient.Hang() : ok(),
    [
      ...at(0, 0, 0).map((call) => ({ ...call, options: { timeouts: { attempt: 1000, call: 1000 } } })),
      ...at(1000, 1000, 1000),
      ...at(1001, 1001, 1001).map(({ at, call }) => interrupt(at, call)),
      price(2000, 9)
    ]
  ),
  "400, 404, 429, unexpected shapes and bodies above the size limit do not count": scenario(
    { breaker: { ...breaking.breaker, minimum: 1, threshold: 0.1 } },
    inTurn(failed(400), failed(404), ScriptedClient.json({ usdPrice: "free" }), tooLarge, failed(429)),
    at(0, 0, 0, 0, 0, 5000)
  ),
  "retries stop when the circuit breaker opens": scenario(
    { ...breaking, ...retry },
    () => failed(500),
    at(0, 10)
  ),
  "waiting calls are rejected when it opens": scenario(
    limited(1000),
    () => ScriptedClient.delayed("500 millis", failed(500)),
    at(0, 0, 0, 0, 0)
  ),
  "calls are rejected before they wait": scenario(limited(4000), () => failed(500), at(0, 0, 0, 0)),
  "it applies to a base URL, for all API keys": shared(
    everywhere(breaking),
    ({ url }) => url.host === "here.test" ? failed(500) : ok(),
    [...at(0, 0, 0), price(1, 4, { via: "otherKey" }), price(1, 5, { via: "there" })]
  ),
  "each client of a gateway has its own": scenario(breaking, inTurn(failed(500), failed(500), failed(500)), [
    ...at(0, 0, 0).map((call) => ({ ...call, ...client("failing") })),
    price(1, 4, client("failing")),
    price(1, 5, client("other"))
  ])
})
