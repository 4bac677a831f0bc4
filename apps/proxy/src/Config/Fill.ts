/** Makes the configuration of what was said: secrets in the place of references, defaults where nothing was said. */
import * as Redacted from "effect/Redacted"
import {
  clientDefaults,
  type Config,
  defaults,
  keyDefaults,
  operationsDefaults,
  redisDefaults
} from "./Config.ts"
import type { Document } from "./Document.ts"
import * as Path from "./Path.ts"
import type { Reference } from "./Values.ts"

/** References by where they stand. */
export const references = (
  { redis, upstream }: Document
): ReadonlyArray<{ readonly path: Path.Path; readonly reference: Reference }> => [
  ...(upstream?.keys ?? []).map(({ secret }, index) => ({
    path: secretOf(index),
    reference: secret
  })),
  ...(redis === undefined || typeof redis.url === "string" ? [] : [{ path: redisUrl, reference: redis.url }])
]

/** The same with other references, as when paths of files are made whole. */
export const mapReferences = (document: Document, map: (reference: Reference) => Reference): Document => ({
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

const secretOf = (index: number): Path.Path => ["upstream", "keys", index, "secret"]

export const redisUrl: Path.Path = ["redis", "url"]

/** Secrets go by where their references stand. */
export const fill = (document: Document, secrets: ReadonlyMap<string, Redacted.Redacted>): Config => {
  const secret = (path: Path.Path) => secrets.get(Path.text(path)) ?? Redacted.make("")
  const { operations, redis, upstream } = document
  return {
    listen: { ...defaults.listen, ...document.listen },
    operations: operations === undefined
      ? defaults.operations
      : operations === null
      ? null
      : { ...operationsDefaults, ...operations },
    upstream: {
      sandbox: upstream?.sandbox ?? defaults.upstream.sandbox,
      addresses: { ...defaults.upstream.addresses, ...upstream?.addresses },
      keys: (upstream?.keys ?? []).map((key, index) => ({
        ...keyDefaults,
        ...key,
        secret: secret(secretOf(index))
      }))
    },
    clients: (document.clients ?? []).map((client) => ({ ...clientDefaults, ...client })),
    openToEveryone: document.openToEveryone ?? defaults.openToEveryone,
    budgets: { ...defaults.budgets, ...document.budgets },
    cache: { ...defaults.cache, ...document.cache },
    redis: redis === undefined ? defaults.redis : {
      ...redisDefaults,
      ...redis,
      url: typeof redis.url === "string" ? Redacted.make(redis.url) : secret(redisUrl)
    },
    limits: { ...defaults.limits, ...document.limits },
    drain: { ...defaults.drain, ...document.drain },
    log: { ...defaults.log, ...document.log }
  }
}
