/** The quotas per day and month that apply to a client: its own, that of its team, and that of all clients together. */
import { dayMillis, type Quota } from "@blockquarry/http/RateLimitStore"
import type { ClientConfig, Config } from "../config/Config.ts"
import type { QuotaName } from "../exchange/Charge.ts"

export interface Budget {
  /** Its id in the store. Names of API keys are digests, so they never collide. */
  readonly account: string
  readonly name: QuotaName
  /** Such as `monthly quota of team web`. */
  readonly description: string
  readonly resets: string
  readonly quota: Quota
  /** Whether it rejects. Otherwise units are consumed beyond its limit. */
  readonly isHard: boolean
  /** Requests are warned if no more units remain than this. Negative: never. */
  readonly warnAt: number
}

type Limits = Pick<ClientConfig, "dailyQuota" | "monthlyQuota">

/** Returns the quotas in the order in which they are consumed: a client that has used up its own takes nothing from others. */
export const of = (
  { quotas, teams }: Pick<Config, "quotas" | "teams">,
  client: Limits & { readonly name: string }
): ReadonlyArray<Budget> => {
  const team = teams.find(({ clients }) => clients.includes(client.name))
  const ofOwner = ofBillingDay(quotas.billingDay)
  return [
    ...ofOwner(`client:${client.name}`, "", "", client),
    ...(team === undefined ? [] : ofOwner(`team:${team.name}`, "team-", ` of team ${team.name}`, team)),
    ...ofOwner("all", "all-", " of all clients", quotas)
  ]
}

const ofBillingDay =
  (firstDay: number) =>
  (account: string, prefix: "" | "team-" | "all-", owner: string, { dailyQuota, monthlyQuota }: Limits) => {
    const make = (
      limits: Limits["dailyQuota"],
      budget: Pick<Budget, "account" | "description" | "name" | "resets">,
      period: Quota["period"]
    ): ReadonlyArray<Budget> => {
      if (limits === null) return []
      const { hard, soft } = typeof limits === "number" ? { hard: limits } : limits
      const limit = hard ?? soft ?? 0
      return [{
        ...budget,
        quota: { limit, period },
        isHard: hard !== undefined,
        warnAt: soft === undefined ? -1 : limit - soft
      }]
    }
    return [
      ...make(dailyQuota, {
        account,
        name: `${prefix}day`,
        description: `daily quota${owner}`,
        resets: "at midnight UTC"
      }, dayMillis),
      ...make(monthlyQuota, {
        // Another day is another period, which is counted on its own.
        account: `${account}:month-${firstDay}`,
        name: `${prefix}month`,
        description: `monthly quota${owner}`,
        resets: `on day ${firstDay} of the month at midnight UTC`
      }, { firstDay })
    ]
  }
