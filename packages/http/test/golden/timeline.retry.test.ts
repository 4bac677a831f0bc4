/** Which responses are retried, the backoff between attempts, the retry budget, and schedules in place of policies. */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Schedule from "effect/Schedule"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import { immediateRetries } from "../support/TestClients.ts"
import {
  at,
  everywhere,
  failed,
  interrupt,
  inTurn,
  ok,
  once,
  price,
  recorded,
  retry,
  scenario,
  shared,
  tooLarge,
  update,
  updated
} from "./support/scenario.ts"

const updateOnce = [update(0)]
const truncated = (retryAfter = {}) => ScriptedClient.respond(200, "{\"usdPrice\":", retryAfter)
const budget = (attempts: number, capacity: number, refill: number) => ({
  retry: { ...immediateRetries(attempts), budget: { capacity, refill } }
})
const everyTwoSeconds = Schedule.spaced("2 seconds")

recorded("timeline.retry", {
  "500, 502, 504, then 200": scenario(retry, [failed(500), failed(502), failed(504), ok()], once),
  "backoff doubles up to maxDelay": scenario(
    { ...retry, retry: { attempts: 6, maxDelay: "1 second" } },
    () => failed(500),
    once
  ),
  "429 without Retry-After, then with it": scenario(retry, [failed(429), failed(429, "3"), ok()], once),
  "Retry-After is a date": scenario(retry, [failed(503, "Thu, 01 Jan 1970 00:00:12 GMT"), ok()], once),
  "Retry-After is beyond the deadline": scenario(retry, [failed(503, "120")], once),
  "the second Retry-After is beyond the deadline": scenario(retry, () => failed(503, "30"), once),
  "connection reset, refused, then 200": scenario(
    retry,
    [
      ScriptedClient.Disconnect({ code: "ECONNRESET" }),
      ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
      ok()
    ],
    once
  ),
  "a truncated body with Retry-After, then 200": scenario(
    retry,
    [truncated({ "retry-after": "7" }), ok()],
    once
  ),
  "no response to any attempt": scenario(retry, () => ScriptedClient.Hang(), once),
  "no response and no timeout": scenario({}, () => ScriptedClient.Hang(), once),
  "408, then 200": scenario(retry, [failed(408), ok()], once),
  "slow responses and the call timeout": scenario(
    { ...retry, timeouts: { attempt: "10 seconds", call: "12 seconds" } },
    () => ScriptedClient.delayed("8 seconds", failed(500)),
    once
  ),
  "a 404 refills the retry budget, a 501 and a body above the size limit do not": scenario(
    budget(2, 1, 1),
    [500, 500, 404, 500, 500, 501, 0, 500].map((status) => status === 0 ? tooLarge : failed(status)),
    at(0, 1, 2, 3, 4, 5)
  ),
  "the retry budget of a base URL is that of all its API keys": shared(
    everywhere(budget(9, 2, 0)),
    () => failed(500),
    [price(0, 1), price(1, 2, { via: "otherKey" }), price(2, 3, { via: "there" })]
  ),
  "calls without a retry budget neither take from that of others nor refill it": scenario(
    budget(4, 1, 1),
    inTurn(failed(500), failed(500), failed(500), ok(), failed(500)),
    at(0, 1, 2, 3).map((call, index) =>
      index === 0 || index === 3 ? call : { ...call, options: budget(4, 0, 0) }
    )
  ),
  "an update: 503 without Retry-After is not retried": scenario(retry, [failed(503)], updateOnce),
  "an update: 503 with Retry-After is retried": scenario(retry, [failed(503, "2"), updated], updateOnce),
  "an update: 429 is retried": scenario(retry, [failed(429), updated], updateOnce),
  "an update: a refused connection is retried": scenario(
    retry,
    [ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), updated],
    updateOnce
  ),
  "an update: a reset connection is not retried": scenario(
    retry,
    [ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    updateOnce
  ),
  "an update: no response is not retried": scenario(retry, [ScriptedClient.Hang()], updateOnce),
  "a call is interrupted during its backoff": scenario(
    retry,
    [failed(503, "10")],
    [...once, interrupt(4000, "price 1")],
    20_000
  ),
  "a schedule decides by the error of each attempt": scenario(
    {
      retry: Schedule.exponential("100 millis").pipe(
        Schedule.whileInput((error: OperationError) => error._tag !== "NetworkError")
      )
    },
    [failed(500), failed(503), truncated(), ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    once
  ),
  "a schedule does not shorten Retry-After": scenario(
    { retry: everyTwoSeconds },
    [failed(503, "7"), failed(503, "1"), ok()],
    once
  ),
  "a schedule of a call does not exceed the retry budget": scenario(
    { retry: { budget: { capacity: 3 } } },
    () => failed(500),
    [price(0, 1, { options: { retry: everyTwoSeconds } })]
  ),
  "a schedule does not exceed the timeout of the call": scenario(
    { retry: everyTwoSeconds, timeouts: { call: "5 seconds" } },
    () => failed(500),
    once
  ),
  "a schedule gets no 400": scenario({ retry: Schedule.recurs(2) }, [failed(400)], once),
  "a schedule, unless a call overrides it": scenario({ retry: Schedule.recurs(2) }, () => failed(500), [
    price(0, 1, { options: { timeouts: {} } }),
    price(1, 2, { options: { retry: RetryPolicy.none } }),
    price(2, 3, { options: { retry: Schedule.recurs(1) } })
  ])
})
