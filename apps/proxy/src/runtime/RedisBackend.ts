/** The stores in Redis, over the same connections. This module is loaded only if Redis is configured. */
import * as Redis from "@blockquarry/redis/Redis"
import * as RedisRecords from "@blockquarry/redis/RedisRecords"
import * as RedisStores from "@blockquarry/redis/RedisStores"
import * as Layer from "effect/Layer"
import * as UsageInRedis from "../admin/UsageInRedis.ts"
import { UsageStore } from "../admin/UsageStore.ts"
import { SharedRecords } from "../auth/Orders.ts"
import type { Config } from "../config/Config.ts"

export const layer = (options: RedisStores.RedisStoresOptions, { retention }: Config["usage"]) =>
  Layer.mergeAll(
    RedisStores.layerOn(options),
    Layer.effect(UsageStore, UsageInRedis.make(retention)),
    Layer.effect(SharedRecords, RedisRecords.make)
  ).pipe(Layer.provide(Redis.layer(options)))
