/** The stores in Redis, over the same connections. This module is loaded only if Redis is configured. */
import * as Redis from "@blockquarry/redis/Redis"
import * as RedisRecords from "@blockquarry/redis/RedisRecords"
import * as RedisStores from "@blockquarry/redis/RedisStores"
import * as RedisUsageStore from "@blockquarry/redis/RedisUsageStore"
import * as Layer from "effect/Layer"
import { SharedRecords } from "../auth/Overrides.ts"
import type { Config } from "../config/Config.ts"

export const layer = (options: RedisStores.RedisStoresOptions, usage: Config["usage"]) =>
  Layer.mergeAll(
    RedisStores.layerOn(options),
    RedisUsageStore.layer(usage),
    Layer.effect(SharedRecords, RedisRecords.make)
  ).pipe(Layer.provide(Redis.layer(options)))
