/** All modules of this package. Importing one module (`@blockquarry/redis/RedisStores`) keeps bundles smaller. */
export * as Redis from "./Redis.ts"
export * as RedisCacheStore from "./RedisCacheStore.ts"
export * as RedisRateLimitStore from "./RedisRateLimitStore.ts"
export * as RedisRecords from "./RedisRecords.ts"
export * as RedisStores from "./RedisStores.ts"
export * as RedisUrl from "./RedisUrl.ts"
export * as RedisUsageStore from "./RedisUsageStore.ts"
export * as UsageStore from "./UsageStore.ts"
