/** The quotas per day and month that apply to a client: its own, that of its team, and that of all clients together. */
import { dayMillis, type Quota, type QuotaAccount } from "@blockquarry/http/RateLimitStore"
import type { ClientConfig, Config } from "../config/Config.ts"
import type { QuotaName } from "../exchange/Reservation.ts"

/** Names of API keys are digests, so ids never collide with theirs. */
export interface AppliedQuota extends QuotaAccount {
  readonly name: QuotaName
  /** Null if it is not the quota of a team. */
  readonly team: string | null
  /** Such as `monthly quota of team web`. */
  readonly description: string
  readonly resets: string
  /** Requests are warned if no more units remain than this. Negative: never. */
  readonly warnAt: number
}

type Limits = Pick<ClientConfig, "dailyQuota" | "monthlyQuota">

/** Returns the quotas of a client, its own first: of several that are exceeded, the first one is reported. */
export const of = (
  { quotas, teams }: Pick<Config, "quotas" | "teams">,
  client: Limits & { readonly name: string }
): ReadonlyArray<AppliedQuota> => {
  const team = teams.find(({ clients }) => clients.includes(client.name))
  const ofOwner = ofBillingDay(quotas.billingDay)
  return [
    ...ofOwner(`client:${client.name}`, "", null, client),
    ...(team === undefined ? [] : ofOwner(`team:${team.name}`, "team-", team.name, team)),
    ...ofOwner("all", "all-", null, quotas)
  ]
}

const ofBillingDay =
  (firstDay: number) =>
  (id: string, prefix: "" | "team-" | "all-", team: string | null, { dailyQuota, monthlyQuota }: Limits) => {
    const owner = { "": "", "team-": ` of team ${team}`, "all-": " of all clients" }[prefix]
    const make = (
      limits: Limits["dailyQuota"],
      quota: Pick<AppliedQuota, "description" | "id" | "name" | "resets">,
      period: Quota["period"]
    ): ReadonlyArray<AppliedQuota> => {
      if (limits === null) return []
      const { hard, soft } = typeof limits === "number" ? { hard: limits } : limits
      const limit = hard ?? soft ?? 0
      return [{
        ...quota,
        team,
        quota: { limit, period },
        soft: hard === undefined,
        warnAt: soft === undefined ? -1 : limit - soft
      }]
    }
    return [
      ...make(dailyQuota, {
        id,
        name: `${prefix}day`,
        description: `daily quota${owner}`,
        resets: "at midnight UTC"
      }, dayMillis),
      ...make(monthlyQuota, {
        // Another day is another period, which is counted on its own.
        id: `${id}:month-${firstDay}`,
        name: `${prefix}month`,
        description: `monthly quota${owner}`,
        resets: `on day ${firstDay} of the month at midnight UTC`
      }, { firstDay })
    ]
  }
