/**
 * Everything of this package under one import. Deep imports (`@blockquarry/redis/RedisStores`) make smaller bundles.
 *
 * @since 0.1.0
 */
export * as Redis from "./Redis.ts"
export * as RedisCacheStore from "./RedisCacheStore.ts"
export * as RedisRateLimitStore from "./RedisRateLimitStore.ts"
export * as RedisStores from "./RedisStores.ts"
