/** Rate limits, daily quotas and cooldowns: which calls wait, in which order, and which are rejected at once. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import {
  at,
  counting,
  everywhere,
  failed,
  interrupt,
  inTurn,
  metadata,
  ok,
  once,
  price,
  recorded,
  retry,
  scenario,
  shared,
  slow
} from "./support/scenario.ts"

const limited = (options: Partial<RateLimit.RateLimit>) => ({
  rateLimit: RateLimit.make({ limit: 2, window: "1 second", cost: 1, ...options })
})
const onePerTen = limited({ limit: 1, window: "10 seconds", maxWait: "1 day" })
const daily = (dailyQuota: number) => ({ rateLimit: { ...RateLimit.none, cost: 1, price: 1, dailyQuota } })
const withMetadata = (reply: (number: number) => ScriptedClient.ScriptedReply = ok) =>
(
  { url }: ScriptedClient.RecordedRequest,
  number: number
) => url.pathname.endsWith("/price") ? reply(number) : failed(404)
const within = (call: number) => ({ options: { timeouts: { attempt: 5000, call } } })

recorded("timeline.rateLimit", {
  "a burst, then delays": scenario(limited({}), counting, at(0, 0, 0, 0, 0, 3000)),
  "costs of the operations": scenario(
    { rateLimit: RateLimit.make({ limit: 6, window: "1 second" }) },
    withMetadata(),
    [...at(0, 0, 0), metadata(0, "metadata")]
  ),
  "a cost for one operation": scenario(limited({ cost: { tokenPrice: 2 } }), counting, at(0, 0, 0)),
  "no cost": scenario(limited({ cost: 0 }), counting, at(0, 0, 0)),
  "maxWait": scenario(limited({ maxWait: "1 second" }), counting, at(0, 0, 0, 0, 0, 0)),
  "maxWait depends on the cost of the waiting calls": scenario(
    limited({
      ...onePerTen.rateLimit,
      burst: 6,
      cost: { tokenPrice: 1, nftMetadata: 6 },
      maxWait: "75 seconds"
    }),
    withMetadata(),
    [metadata(0, "first"), metadata(0, "second"), ...at(0, 0)]
  ),
  "a call that is sent or interrupted leaves room in the queue": scenario(
    limited({ ...onePerTen.rateLimit, maxQueue: 2 }),
    counting,
    [...at(0, 0, 0), interrupt(1, "price 2"), price(2, 4), price(3, 5), price(10_000, 6)]
  ),
  "the timeout of a call does not affect others": scenario(onePerTen, counting, [
    ...at(0, 0),
    price(0, 3, within(15_000)),
    price(0, 4)
  ]),
  "an interrupted call is not charged, and the next does not wait for it": scenario(
    limited({ limit: 1, burst: 100, cost: { tokenPrice: 1, nftMetadata: 100 }, maxWait: "1 day" }),
    withMetadata(),
    [metadata(0, "first"), metadata(0, "second"), price(0, 3), interrupt(500, "second")]
  ),
  "each API key has a rate limit at each base URL": shared(everywhere(onePerTen), counting, [
    ...at(0, 0),
    price(0, 3, { via: "otherKey" }),
    price(0, 4, { via: "there" })
  ]),
  "a daily quota": scenario(daily(2), counting, at(0, 1000, 2000, 86_399_999, 86_400_000)),
  "a daily quota with retries": scenario({ ...retry, ...daily(2) }, () => failed(500), once),
  "each API key has one daily quota for all base URLs": shared(everywhere(daily(1)), counting, [
    ...once,
    price(0, 2, { via: "there" }),
    price(0, 3, { via: "otherKey" })
  ])
})

const patient = limited({ limit: 1e9, maxWait: "10 days" })
const throttledOnce = inTurn(failed(429, "5"))
const trial = (reply: ScriptedClient.ScriptedReply): ScriptedClient.Script => (request, number) =>
  number === 1 ? failed(429, "5") : number === 2 ? reply : slow(request, number)
/** The first call is throttled for 50 s after 5 s, while others wait. */
const throttledLate: ScriptedClient.Script = (_, number) =>
  number === 1 ? ScriptedClient.delayed("5 seconds", failed(429, "50")) : ok(number)

recorded("timeline.cooldown", {
  "a 429 delays every call of the key": scenario(
    { ...limited({ limit: 100 }), ...retry },
    ({ at }) => at < 3000 ? failed(429, "3") : ok(),
    at(0, 500, 1000)
  ),
  "429s without Retry-After": scenario(
    {},
    ({ at }) => at < 6000 ? failed(429) : ok(),
    at(0, 1000, 3000, 7000)
  ),
  "a cooldown applies to the API key at the base URL": shared(everywhere(patient), throttledOnce, [
    ...at(0, 1),
    price(2, 3, { via: "otherKey" }),
    price(3, 4, { via: "there" })
  ]),
  "earlier units count after a cooldown": scenario(onePerTen, inTurn(failed(429, "2")), at(0, 0, 0)),
  "the wait for a cooldown is longer than maxWait": scenario(
    limited({ maxWait: "1 second" }),
    ({ at }) => at < 3000 ? failed(429, "3") : ok(),
    at(0, 500, 2500)
  ),
  "the cooldown is beyond the deadline": scenario(patient, inTurn(failed(429, "50")), [
    ...once,
    price(0, 2, within(20_000)),
    price(29_999, 3, within(20_000)),
    price(30_001, 4, within(20_000))
  ]),
  "the cooldown, and then the rate limit, are beyond the deadline": scenario(onePerTen, throttledLate, [
    ...at(0, 0),
    price(6000, 3, within(30_000)),
    price(16_000, 4, within(30_000))
  ]),
  "a cooldown starts that is beyond the deadline of waiting calls": scenario(onePerTen, throttledLate, [
    ...at(0, 0),
    price(0, 3, within(30_000)),
    price(0, 4, within(40_000))
  ]),
  "others wait for the trial": scenario(
    patient,
    trial(ScriptedClient.delayed("1 second", ok())),
    at(0, 1, 2, 3)
  ),
  "a trial that fails to connect": scenario(
    patient,
    trial(ScriptedClient.Disconnect({ code: "ECONNREFUSED" })),
    at(0, 1, 2, 3)
  ),
  "a trial that fails after a while": scenario(
    patient,
    trial(ScriptedClient.delayed("1 second", failed(503))),
    at(0, 1, 2, 3)
  ),
  "a trial that is interrupted": scenario(patient, trial(ScriptedClient.Hang()), [
    ...at(0, 1, 2, 3),
    interrupt(5500, "price 2")
  ]),
  "a trial that gets a 404": scenario(patient, trial(failed(404)), at(0, 1, 2, 3))
})
