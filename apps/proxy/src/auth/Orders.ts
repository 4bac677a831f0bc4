/**
 * Orders of operators, which win over the configuration: clients that are disabled, and processes that drain. With Redis they are
 * those of the fleet, and each process reads them twice a second. Without, they are those of this process until it ends.
 */
import type { StoreError } from "@blockquarry/http/StoreError"
import type { RedisRecords } from "@blockquarry/redis/RedisRecords"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import * as ProxyError from "../exchange/ProxyError.ts"

/** What the processes of a fleet share. Default: null, there is no Redis. */
export class SharedRecords extends Context.Reference<SharedRecords>()("quarry-proxy/SharedRecords", {
  defaultValue: (): RedisRecords | null => null
}) {}

/** Who gave an order, and when, in milliseconds since 1970. */
const Order = Schema.parseJson(Schema.Struct({ operator: Schema.String, at: Schema.Number }))

export type Order = typeof Order.Type

const decodeOrder = Schema.decodeOption(Order)

type Kind = "client" | "process"

export class Orders extends Context.Tag("quarry-proxy/Orders")<Orders, {
  /** The name of this process in the fleet. */
  readonly processName: string
  /** Returns why a client is refused, or null. Until the orders are known, every client with a token is refused. */
  readonly refusalOf: (client: string) => ProxyError.ProxyError | null
  readonly areKnown: () => boolean
  readonly isDraining: () => boolean
  readonly find: (kind: Kind, name: string) => Order | undefined
  /** Disables a client, or lets a process drain. */
  readonly give: (kind: Kind, name: string, operator: string) => Effect.Effect<void, StoreError>
  readonly revoke: (kind: Kind, name: string) => Effect.Effect<void, StoreError>
}>() {}

const collection = "orders"

/** A record that stays when the last order is revoked. Without it Redis has lost the orders, and a process that knows them sets them again. */
const marker = "orders"

/** With `open`, no client is refused before the orders are known. */
export const layer = (open: boolean): Layer.Layer<Orders> =>
  Layer.scoped(
    Orders,
    Effect.gen(function*() {
      const shared = yield* SharedRecords
      const processName = `${hostname()}-${randomBytes(2).toString("hex")}`
      const local = new Map<string, string>()
      let orders: ReadonlyMap<string, string> | null = shared === null || open ? local : null
      let disabled: ReadonlySet<string> = new Set()
      const use = (read: ReadonlyMap<string, string>): void => {
        orders = read
        disabled = new Set(
          Array.from(read.keys()).filter((id) => id.startsWith("client ")).map((id) => id.slice(7))
        )
      }
      const setAll = (records: Iterable<readonly [id: string, order: string]>) =>
        Effect.forEach(records, ([id, order]) =>
          shared === null
            ? Effect.sync(() => void local.set(id, order))
            : shared.set(collection, id, order, null), { discard: true })
      // During an outage the orders that were read last apply.
      const refresh: Effect.Effect<void, StoreError> = shared === null
        ? Effect.sync(() => use(local))
        : Effect.flatMap(shared.read(collection), (read) => {
          if (orders?.has(marker) === true && !read.has(marker)) return setAll(orders)
          return Effect.sync(() => use(read))
        })
      yield* Effect.ignore(refresh)
      if (shared !== null) {
        yield* Effect.forkScoped(Effect.repeat(Effect.ignore(refresh), Schedule.spaced("500 millis")))
        yield* Effect.addFinalizer(() => Effect.ignore(shared.remove(collection, `process ${processName}`)))
      }
      return {
        processName,
        refusalOf: (client) =>
          orders === null
            ? client === "anonymous" ? null : ordersUnknown
            : disabled.size > 0 && disabled.has(client)
            ? clientDisabled
            : null,
        areKnown: () => orders !== null,
        isDraining: () => orders?.has(`process ${processName}`) === true,
        find: (kind, name) => {
          const order = orders?.get(`${kind} ${name}`)
          return order === undefined
            ? undefined
            : Option.getOrElse(decodeOrder(order), () => ({ operator: "unknown", at: 0 }))
        },
        give: (kind, name, operator) =>
          Effect.gen(function*() {
            const order = JSON.stringify({ operator, at: yield* Clock.currentTimeMillis })
            // An order that Redis has lost must not lose the others.
            yield* Effect.zipRight(refresh, setAll([[`${kind} ${name}`, order], [marker, ""]]))
            yield* refresh
          }),
        revoke: (kind, name) =>
          refresh.pipe(
            Effect.zipRight(
              shared === null
                ? Effect.sync(() => local.delete(`${kind} ${name}`))
                : shared.remove(collection, `${kind} ${name}`)
            ),
            Effect.zipRight(refresh)
          )
      }
    })
  )

const clientDisabled = ProxyError.make("client-disabled", "an operator of the proxy has disabled this client")

const ordersUnknown = ProxyError.make(
  "store-unavailable",
  "this process cannot read from Redis which clients are disabled; retry later",
  { "retry-after": "1" }
)
