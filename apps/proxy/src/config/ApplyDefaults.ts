/** Makes the configuration of what was said: secrets in the place of references, defaults where nothing was said. */
import * as Redacted from "effect/Redacted"
import { adminDefaults, clientDefaults, type Config, defaults, keyDefaults, redisDefaults } from "./Config.ts"
import * as ConfigPath from "./ConfigPath.ts"
import type { ConfigDocument } from "./ConfigSchema.ts"
import type { SecretReference } from "./ValueSchemas.ts"

/** References by where they stand. */
export const secretReferences = (
  { redis, upstream }: ConfigDocument
): ReadonlyArray<{ readonly path: ConfigPath.ConfigPath; readonly reference: SecretReference }> => [
  ...(upstream?.keys ?? []).map(({ secret }, index) => ({
    path: secretPath(index),
    reference: secret
  })),
  ...(redis === undefined || typeof redis.url === "string"
    ? []
    : [{ path: redisUrlPath, reference: redis.url }])
]

/** The same with other references, as when paths of files are made whole. */
export const mapSecretReferences = (
  document: ConfigDocument,
  map: (reference: SecretReference) => SecretReference
): ConfigDocument => ({
  ...document,
  ...(document.upstream === undefined ? {} : {
    upstream: {
      ...document.upstream,
      ...(document.upstream.keys === undefined ? {} : {
        keys: document.upstream.keys.map((key) => ({ ...key, secret: map(key.secret) }))
      })
    }
  }),
  ...(document.redis === undefined || typeof document.redis.url === "string" ? {} : {
    redis: { ...document.redis, url: map(document.redis.url) }
  })
})

const secretPath = (index: number): ConfigPath.ConfigPath => ["upstream", "keys", index, "secret"]

export const redisUrlPath: ConfigPath.ConfigPath = ["redis", "url"]

/** Secrets go by where their references stand. */
export const applyDefaults = (
  document: ConfigDocument,
  secrets: ReadonlyMap<string, Redacted.Redacted>
): Config => {
  const secret = (path: ConfigPath.ConfigPath) =>
    secrets.get(ConfigPath.formatPath(path)) ?? Redacted.make("")
  const { admin, redis, upstream } = document
  return {
    listen: { ...defaults.listen, ...document.listen },
    admin: admin === undefined
      ? defaults.admin
      : admin === null
      ? null
      : { ...adminDefaults, ...admin },
    upstream: {
      sandbox: upstream?.sandbox ?? defaults.upstream.sandbox,
      baseUrls: { ...defaults.upstream.baseUrls, ...upstream?.baseUrls },
      keys: (upstream?.keys ?? []).map((key, index) => ({
        ...keyDefaults,
        ...key,
        secret: secret(secretPath(index))
      }))
    },
    clients: (document.clients ?? []).map((client) => ({ ...clientDefaults, ...client })),
    allowAnonymous: document.allowAnonymous ?? defaults.allowAnonymous,
    quotas: { ...defaults.quotas, ...document.quotas },
    cache: { ...defaults.cache, ...document.cache },
    redis: redis === undefined ? defaults.redis : {
      ...redisDefaults,
      ...redis,
      url: typeof redis.url === "string" ? Redacted.make(redis.url) : secret(redisUrlPath)
    },
    limits: { ...defaults.limits, ...document.limits },
    shutdown: { ...defaults.shutdown, ...document.shutdown },
    log: { ...defaults.log, ...document.log }
  }
}
