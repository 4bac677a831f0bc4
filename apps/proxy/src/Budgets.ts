/**
 * What each client may use: units per time and per UTC day, as much as the operations cost that it asks for, whether
 * the answer was kept or not. They are counted where the engine counts: in Redis for a fleet, or in this process.
 *
 * A client that asks too fast waits in a line of its own for a little while; the headers `RateLimit` and
 * `RateLimit-Policy` tell it how much is left (draft-ietf-httpapi-ratelimit-headers).
 */
import { dearest } from "@blockquarry/core/Operation"
import type { AtOnce, Cap, RateLimitStoreService, Rule, Spent, Turn } from "@blockquarry/http/RateLimitStore"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Client } from "./Clients.ts"
import type { Config } from "./Config/Config.ts"
import * as Failure from "./Failure.ts"

/** What is left of one of a client's budgets. */
export interface Budget {
  readonly name: "rate" | "day"
  readonly limit: number
  /** In so many seconds. */
  readonly window: number
  readonly left: number
  /** In how many seconds there is more. */
  readonly reset: number
}

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
  /** How each client stands, as far as it was seen here. */
  readonly seen: () => ReadonlyMap<string, ReadonlyArray<Budget>>
}

/** The line of one client. */
interface Line {
  waiting: number
  readonly turn: Effect.Semaphore
}

/** A request that wants its units. */
interface Candidate {
  readonly client: Client
  readonly units: number
  readonly began: number
  /** It waits no longer. */
  readonly until: number
}

/** What the store said: of the rate, and where that let it through of the day. */
interface Asked {
  readonly turn: Turn
  readonly spent: Spent | null
}

const day = 86_400_000

export const make = (
  { maxQueue, maxWait, mode }: Config["budgets"],
  store: RateLimitStoreService
): Budgets => {
  const lines = new Map<string, Line>()
  const seen = new Map<string, ReadonlyArray<Budget>>()

  /** Asks the rate, then the day: where the day is used up, it does not matter that the rate was charged. */
  const ask = ({ limit, name, perDay }: Client, units: number): Effect.Effect<Asked> => {
    const account = accountOf(name)
    const turn = limit === null ? Effect.succeed(unlimited) : store.take(account, ruleOf(limit), units, 0)
    return Effect.flatMap(turn, (turn) =>
      turn._tag === "Wait" || perDay === null
        ? Effect.succeed<Asked>({ turn, spent: null })
        : Effect.map(store.spend(account, capOf(perDay), units), (spent) => ({ turn, spent })))
  }

  const askAtOnce = (
    { take, spend }: AtOnce,
    { limit, name, perDay }: Client,
    units: number,
    now: number
  ): Asked => {
    const account = accountOf(name)
    const turn = limit === null ? unlimited : take(account, ruleOf(limit), units, 0, now)
    return turn._tag === "Wait" || perDay === null
      ? { turn, spent: null }
      : { turn, spent: spend(account, capOf(perDay), units, now) }
  }

  /** A charge, or a refusal that has cost nothing. */
  const settle = ({ began, client, units }: Candidate, asked: Asked, now: number): Charge | Refusal => {
    const budgets = budgetsOf(client, asked, now)
    seen.set(client.name, budgets)
    const wait = waitOf(asked)
    return wait === 0
      ? { units, budgets, waited: now - began, shadowed: false }
      : { wait, budgets, byDay: asked.spent !== null }
  }

  /** One look at the budgets. */
  const attempt = (one: Candidate): Effect.Effect<Charge | Refusal> =>
    Effect.flatMap(
      ask(one.client, one.units),
      (asked) => Effect.map(Clock.currentTimeMillis, (now) => settle(one, asked, now))
    )

  const take: Budgets["take"] = (client, units, patience = maxWait) => {
    if (client.limit === null && client.perDay === null) return Effect.succeed(free(units))
    const longest = Duration.toMillis(patience)
    return Effect.flatMap(Clock.currentTimeMillis, (began) => {
      const one = { client, units, began, until: began + longest }
      return lines.has(client.name)
        ? inLine(one)
        : Effect.flatMap(
          attempt(one),
          (charge) => isRefusal(charge) ? unless(charge, one, longest, inLine(one)) : Effect.succeed(charge)
        )
    })
  }

  /** What a refusal means: nothing where budgets only count, an end where waiting is too long, otherwise a wait. */
  const unless = (
    refusal: Refusal,
    { units }: Candidate,
    left: number,
    wait: Effect.Effect<Charge, Failure.Failure>
  ): Effect.Effect<Charge, Failure.Failure> => {
    if (mode === "shadow") {
      return Effect.succeed({ units, budgets: refusal.budgets, waited: 0, shadowed: true })
    }
    return refusal.wait > left ? Effect.fail(overBudget(refusal)) : wait
  }

  const inLine = (one: Candidate): Effect.Effect<Charge, Failure.Failure> =>
    Effect.suspend(() => {
      const { name } = one.client
      const line = lines.get(name) ?? { waiting: 0, turn: Effect.unsafeMakeSemaphore(1) }
      if (line.waiting >= maxQueue) return Effect.fail(lineIsFull(seen.get(name) ?? []))
      lines.set(name, line)
      line.waiting += 1
      return line.turn.withPermits(1)(asHead(one)).pipe(
        Effect.ensuring(Effect.sync(() => {
          line.waiting -= 1
          if (line.waiting === 0) lines.delete(name)
        }))
      )
    })

  const asHead = (one: Candidate): Effect.Effect<Charge, Failure.Failure> =>
    Effect.flatMap(
      attempt(one),
      (charge) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          isRefusal(charge)
            ? unless(
              charge,
              one,
              one.until - now,
              Effect.zipRight(Effect.sleep(charge.wait), Effect.suspend(() => asHead(one)))
            )
            : Effect.succeed(charge))
    )

  const tryTake: Budgets["tryTake"] = (client, units, now) => {
    if (client.limit === null && client.perDay === null) return free(units)
    if (store.atOnce === undefined || lines.has(client.name)) return undefined
    const asked = askAtOnce(store.atOnce, client, units, now)
    const charge = settle({ client, units, began: now, until: now }, asked, now)
    return isRefusal(charge) ? undefined : charge
  }

  return { take, tryTake, seen: () => seen }
}

/** That there is nothing to be had for a while. */
interface Refusal {
  readonly wait: number
  readonly byDay: boolean
  readonly budgets: ReadonlyArray<Budget>
}

const isRefusal = (charge: Charge | Refusal): charge is Refusal => "wait" in charge

const unlimited: Turn = { _tag: "Go", probe: false, left: Number.POSITIVE_INFINITY }

const free = (units: number): Charge => ({ units, budgets: [], waited: 0, shadowed: false })

/** Apart from the accounts of keys, whose names are fingerprints. */
const accountOf = (name: string): string => `client:${name}`

const capOf = (perDay: number): Cap => ({ limit: perDay, period: day })

/** All of a window's units may go at once. Nobody goes before there is room for the dearest operation. */
const ruleOf = ({ limit, window }: NonNullable<Client["limit"]>): Rule => ({
  limit,
  window,
  burst: Math.max(1, limit),
  dearest
})

const waitOf = ({ spent, turn }: Asked): number => {
  if (turn._tag === "Wait") return turn.millis
  return spent?._tag === "UsedUp" ? spent.millis : 0
}

const budgetsOf = (client: Client, { spent, turn }: Asked, now: number): ReadonlyArray<Budget> => {
  const rate: ReadonlyArray<Budget> = client.limit === null ? [] : [{
    name: "rate",
    limit: client.limit.limit,
    window: Math.ceil(client.limit.window / 1000),
    left: Math.floor(turn.left),
    reset: Math.ceil((turn._tag === "Wait" ? turn.millis : client.limit.window) / 1000)
  }]
  const today: ReadonlyArray<Budget> = client.perDay === null || spent === null ? [] : [{
    name: "day",
    limit: client.perDay,
    window: day / 1000,
    left: Math.floor(spent.left),
    reset: Math.ceil((day - now % day) / 1000)
  }]
  return [...rate, ...today]
}

const overBudget = ({ budgets, byDay, wait }: Refusal): Failure.Failure =>
  Failure.make(
    "over-budget",
    byDay
      ? "your budget for today is used up; it is there again at midnight UTC"
      : "you ask faster than your budget allows",
    { ...headers(budgets), ...Failure.retryAfter(Duration.millis(wait)) }
  )

const lineIsFull = (budgets: ReadonlyArray<Budget>): Failure.Failure =>
  Failure.make(
    "over-budget",
    "too many of your requests wait for your budget already; ask fewer at once",
    { ...headers(budgets), ...Failure.retryAfter(Duration.seconds(1)) }
  )

/** How a client stands, for itself to read. */
export const headers = (budgets: ReadonlyArray<Budget>): Readonly<Record<string, string>> =>
  budgets.length === 0 ? {} : {
    ratelimit: budgets.map(({ left, name, reset }) => `"${name}";r=${left};t=${reset}`).join(", "),
    "ratelimit-policy": budgets.map(({ limit, name, window }) => `"${name}";q=${limit};w=${window}`).join(
      ", "
    )
  }
