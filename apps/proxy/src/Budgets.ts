/**
 * What each client may use: units per time and per UTC day, as much as the operations cost that it asks for, whether
 * the answer was kept or not. They are counted where the engine counts: in Redis for a fleet, or in this process.
 *
 * A client that asks too fast waits in a line of its own for a little while, where that helps; the headers `RateLimit` and
 * `RateLimit-Policy` tell it how much is left (draft-ietf-httpapi-ratelimit-headers).
 */
import type { RateLimitStoreService, Spent, Turn } from "@blockquarry/http/RateLimitStore"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  type Candidate,
  expected,
  first,
  left,
  type Line,
  lineIsFull,
  overBudget,
  type Refusal,
  unheard
} from "./Budgets/Line.ts"
import {
  accountOf,
  type Asked,
  type Budget,
  budgetsOf,
  capOf,
  ruleOf,
  unlimited,
  waitOf
} from "./Budgets/Standing.ts"
import type { Client } from "./Clients.ts"
import type { Config } from "./Config/Config.ts"
import type * as Failure from "./Failure.ts"

/** What a client was charged, and how it stands now. */
export interface Charge {
  readonly units: number
  readonly budgets: ReadonlyArray<Budget>
  /** Milliseconds that it waited for its turn. */
  readonly waited: number
  /** That it went beyond its budget, where that is only counted. */
  readonly shadowed: boolean
}

export interface Budgets {
  /** Takes units from a client's budgets, after a wait where that helps; one of `patience` at most. */
  readonly take: (
    client: Client,
    units: number,
    patience?: Duration.Duration
  ) => Effect.Effect<Charge, Failure.Failure>
  /** The same without a fiber, where budgets are counted here and nobody waits; undefined, and nothing taken, otherwise. */
  readonly tryTake: (client: Client, units: number, now: number) => Charge | undefined
  /** What a client has left now. */
  readonly standing: (client: Client) => Effect.Effect<ReadonlyArray<Budget>>
}

export const make = (
  { maxQueue, maxWait, mode }: Config["budgets"],
  store: RateLimitStoreService
): Budgets => {
  const lines = new Map<string, Line>()

  /** Taking no units tells how many there are. */
  const takeRate = ({ limit, name }: Client, units: number): Effect.Effect<Turn> =>
    limit === null ? Effect.succeed(unlimited) : store.take(accountOf(name), ruleOf(limit), units, 0)

  /**
   * The day is looked at first: where it has too little left, the rate is not charged. (It is in vain where another
   * process spent the last of the day in between.)
   */
  const ask = (client: Client, units: number): Effect.Effect<Asked> => {
    const { limit, name, perDay } = client
    if (perDay === null) return Effect.map(takeRate(client, units), (turn) => ({ turn, today: null }))
    const spend = (turn: Turn) =>
      Effect.map(store.spend(accountOf(name), capOf(perDay), units), (today) => ({ turn, today }))
    if (limit === null) return spend(unlimited)
    // Where budgets only count, each goes by itself.
    if (mode === "shadow") return Effect.flatMap(takeRate(client, units), spend)
    return Effect.flatMap(store.look(accountOf(name), capOf(perDay)), ({ left, millis }) =>
      left < units
        ? Effect.map(takeRate(client, 0), (turn) => ({ turn, today: { _tag: "UsedUp", left, millis } }))
        : Effect.flatMap(takeRate(client, units), (turn) =>
          turn._tag === "Wait" ? Effect.succeed({ turn, today: { _tag: "Spent", left } }) : spend(turn)))
  }

  /** One look at the budgets: a charge, or a refusal that has cost nothing. */
  const attempt = (one: Candidate): Effect.Effect<Charge | Refusal> =>
    Effect.zipWith(ask(one.client, one.units), Clock.currentTimeMillis, (asked, now) => {
      const budgets = budgetsOf(one.client, asked, now)
      const wait = waitOf(asked)
      if (wait === 0) return { units: one.units, budgets, waited: now - one.began, shadowed: false }
      if (mode === "shadow") return { units: one.units, budgets, waited: 0, shadowed: true }
      one.at = now + wait
      return { wait, budgets, byDay: asked.today?._tag === "UsedUp" }
    })

  const take: Budgets["take"] = (client, units, patience = maxWait) => {
    if (client.limit === null && client.perDay === null) return Effect.succeed(free(units))
    return Effect.flatMap(Clock.currentTimeMillis, (began) => {
      const one = { client, units, began, patience: Duration.toMillis(patience), at: began, call: () => {} }
      // Where nobody waits, several may ask the store at the same time.
      if (lines.has(client.name)) return inLine(one, null)
      return Effect.flatMap(
        attempt(one),
        (charge) => isRefusal(charge) ? inLine(one, charge) : Effect.succeed(charge)
      )
    })
  }

  /** Waits for its turn; `refusal` is what it was told before it came. */
  const inLine = (one: Candidate, refusal: Refusal | null): Effect.Effect<Charge, Failure.Failure> =>
    Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (now) => enter(one, refusal, now)),
      (line) =>
        refusal !== null && line.waiting[0] === one ? afterwards(line, one, refusal) : turn(line, one),
      (line) => Effect.sync(() => leave(line, one))
    )

  const enter = (
    one: Candidate,
    refusal: Refusal | null,
    now: number
  ): Effect.Effect<Line, Failure.Failure> => {
    const { name } = one.client
    const line = lines.get(name) ?? { waiting: [], refusal: refusal ?? unheard }
    const known = refusal ?? line.refusal
    if (line.waiting.length >= maxQueue) return Effect.fail(lineIsFull(known.budgets))
    const later = line.waiting.findIndex(({ patience }) => patience > one.patience)
    const place = later === -1 ? line.waiting.length : later
    const wait = expected([...line.waiting.slice(0, place), one], known, now)
    if (wait > left(one, now)) return Effect.fail(overBudget({ ...known, wait }))
    line.waiting.splice(place, 0, one)
    lines.set(name, line)
    return Effect.succeed(line)
  }

  /** Who is gone leaves no gap, whatever the reason. */
  const leave = (line: Line, one: Candidate): void => {
    const place = line.waiting.indexOf(one)
    line.waiting.splice(place, 1)
    if (line.waiting.length === 0) lines.delete(one.client.name)
    if (place === 0) line.waiting[0]?.call()
  }

  /** Asks the store as soon as it is the first. */
  const turn = (line: Line, one: Candidate): Effect.Effect<Charge, Failure.Failure> =>
    Effect.flatMap(first(line, one), (isFirst) => {
      if (!isFirst) return Effect.flatMap(Clock.currentTimeMillis, (now) => giveUp(line, one, now))
      return Effect.flatMap(
        attempt(one),
        (charge) => isRefusal(charge) ? afterwards(line, one, charge) : Effect.succeed(charge)
      )
    })

  /** Tells it when it might have been its turn. */
  const giveUp = ({ refusal, waiting }: Line, one: Candidate, now: number) => {
    const wait = expected(waiting.slice(0, waiting.indexOf(one) + 1), refusal, now)
    return Effect.fail(overBudget({ ...refusal, wait: Math.max(1, wait) }))
  }

  /** Waits as long as the store said, if it has the patience. Others may have come before it meanwhile. */
  const afterwards = (
    line: Line,
    one: Candidate,
    refusal: Refusal
  ): Effect.Effect<Charge, Failure.Failure> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      line.refusal = refusal
      return refusal.wait > left(one, now)
        ? Effect.fail(overBudget(refusal))
        : Effect.zipRight(Effect.sleep(refusal.wait), Effect.suspend(() => turn(line, one)))
    })

  const tryTake: Budgets["tryTake"] = (client, units, now) => {
    const { limit, name, perDay } = client
    if (limit === null && perDay === null) return free(units)
    if (store.atOnce === undefined || lines.has(name)) return undefined
    const { spend, take } = store.atOnce
    const account = accountOf(name)
    // Spending nothing tells what is left.
    if (perDay !== null && spend(account, capOf(perDay), 0, now).left < units) return undefined
    const turn = limit === null ? unlimited : take(account, ruleOf(limit), units, 0, now)
    if (turn._tag === "Wait") return undefined
    const today = perDay === null ? null : spend(account, capOf(perDay), units, now)
    return { units, budgets: budgetsOf(client, { turn, today }, now), waited: 0, shadowed: false }
  }

  const standing: Budgets["standing"] = (client) => {
    const { name, perDay } = client
    const today = perDay === null
      ? Effect.succeed(null)
      : Effect.map(store.look(accountOf(name), capOf(perDay)), ({ left }): Spent => ({ _tag: "Spent", left }))
    return Effect.flatMap(
      Effect.all({ turn: takeRate(client, 0), today }),
      (asked) => Effect.map(Clock.currentTimeMillis, (now) => budgetsOf(client, asked, now))
    )
  }

  return { take, tryTake, standing }
}

const isRefusal = (charge: Charge | Refusal): charge is Refusal => "wait" in charge

const free = (units: number): Charge => ({ units, budgets: [], waited: 0, shadowed: false })
