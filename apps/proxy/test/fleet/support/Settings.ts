/** Documents of settings for proxies of a fleet, and who may ask them. */
import { createHash } from "node:crypto"

export interface Client {
  readonly name: string
  /** Nobody can be a client without one, and the log says so. */
  readonly token?: string
  readonly limit?: string
  readonly perDay?: number
}

interface Key {
  readonly name: string
  /** The file that holds it. */
  readonly file: string
  readonly limit?: string
}

export interface Settings {
  readonly url: string
  readonly keys: ReadonlyArray<Key>
  readonly clients?: ReadonlyArray<Client>
  readonly announce?: string
  readonly grace?: string
  /** Other sections. */
  readonly other?: object
}

/** JSON is YAML too. */
export const document = (
  { announce = "1s", clients = [], grace = "5s", keys, other, url }: Settings
): string =>
  JSON.stringify(
    {
      listen: { port: 0 },
      operations: { port: 0 },
      upstream: {
        addresses: { data: url },
        keys: keys.map(({ file, limit = "none", name }) => ({ name, secret: { file }, limit }))
      },
      ...(clients.length === 0 ? {} : {
        clients: clients.map(({ token, ...client }) => ({
          ...client,
          tokens: token === undefined ? [] : [`sha256:${createHash("sha256").update(token).digest("hex")}`]
        }))
      }),
      drain: { announce, grace },
      log: { requests: false },
      ...other
    },
    null,
    2
  )
