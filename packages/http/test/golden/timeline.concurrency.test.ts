/** Concurrency limits: which calls wait for a slot, and how the clients of a gateway share slots. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import {
  at,
  everywhere,
  failed,
  metadata,
  ok,
  price,
  recorded,
  scenario,
  shared,
  slow,
  type Step
} from "./support/scenario.ts"

const slots = (limit: number, maxQueue = 9) => ({ concurrency: { limit, maxQueue } })
const onePerTen = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" })

/** Calls of a client of a gateway, for tokens from `from` on. */
const by = (name: string, calls: number, from: number, share = 1): ReadonlyArray<Step> =>
  Array.from({ length: calls }, (_, index) =>
    price(0, from + index, {
      call: `${name} ${from + index}`,
      by: { name, weight: 1, share }
    }))

recorded("timeline.concurrency", {
  "two in flight, one may wait": scenario(slots(2, 1), slow, at(0, 0, 0, 0, 1500)),
  "the call timeout limits the wait": scenario(
    { ...slots(1), timeouts: { attempt: "5 seconds", call: "2 seconds" } },
    () => ScriptedClient.delayed("1900 millis", ok()),
    at(0, 0)
  ),
  "the limit applies to a base URL, for all API keys": shared(everywhere(slots(1, 0)), slow, [
    price(0, 1),
    price(0, 2, { via: "otherKey" }),
    price(0, 3, { via: "there" })
  ]),
  "calls that wait for the rate limit hold no slot": shared(
    { ...everywhere(slots(1)), here: { ...everywhere(slots(1)).here, rateLimit: onePerTen } },
    () => ok(),
    [...at(0, 0), price(0, 3, { via: "otherKey" })]
  ),
  "calls that wait for a cooldown hold no slot": shared(
    everywhere(slots(1)),
    (request, number) => number === 1 ? failed(429, "30") : slow(request, number),
    [...at(0, 0), price(0, 3, { via: "otherKey" }), price(0, 4, { via: "otherKey" })]
  ),
  "a lower limit includes the calls under a higher one": shared(
    {
      before: { ...slots(4), baseUrl: "https://here.test" },
      after: { ...slots(2), baseUrl: "https://here.test" }
    },
    slow,
    [...at(0, 0, 0), price(0, 4, { via: "after" }), price(0, 5, { via: "after" })]
  ),
  "with several API keys, a slot goes to the client that holds fewer": shared(everywhere(slots(3)), slow, [
    ...by("many", 4, 1),
    ...by("one", 1, 11).map((call) => ({ ...call, via: "otherKey" }))
  ]),
  "a client of a gateway takes only its share, and its calls that wait do not delay those of others":
    scenario(
      { ...slots(8), rateLimit: { ...RateLimit.none, maxWait: "5 seconds" } },
      ({ url }) => ScriptedClient.delayed(url.pathname.includes("00f/") ? 0 : "6 seconds", ok()),
      [...by("noisy", 3, 1, 1 / 4), ...by("quiet", 1, 15, 1 / 4)]
    ),
  "an expensive call that would start too late does not reject a cheap one of another client": scenario(
    {
      ...slots(1),
      rateLimit: RateLimit.make({
        limit: 10,
        window: "1 second",
        burst: 50,
        cost: { nftMetadata: 50, tokenPrice: 1 },
        maxWait: "4 seconds"
      })
    },
    () => ScriptedClient.delayed("500 millis", failed(404)),
    [metadata(0, "first"), metadata(0, "expensive"), price(0, 1)].map((step) => ({
      ...step,
      by: { name: step.call, weight: 1, share: 1 }
    }))
  ),
  "each client of a gateway has a queue": scenario(slots(1, 1), slow, [...by("a", 3, 1), ...by("b", 2, 11)])
})
