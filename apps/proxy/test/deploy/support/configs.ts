/** Loads the deployed configurations as the proxy does, with their secrets at the configured paths. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Load from "../../../src/config/Load.ts"
import { fakeFileSystem } from "../../config/support.ts"
import * as Files from "./files.ts"

export const all = ["compose", "kubernetes"] as const

export type Deployment = (typeof all)[number]

const Mounted = Schema.Struct({ data: Schema.Struct({ "quarry-proxy.yaml": Schema.String }) })

const text = (which: Deployment): string =>
  which === "compose"
    ? Files.text("compose/quarry-proxy.yaml")
    : Schema.decodeUnknownSync(Mounted)(Files.document("kubernetes/configmap.yaml")).data["quarry-proxy.yaml"]

/** The path in the container. */
export const file = "/etc/quarry-proxy/quarry-proxy.yaml"

/** The directory of secrets in the container. */
export const secretsFolder = { compose: "/run/secrets", kubernetes: "/run/secrets/quarry-proxy" } as const

/** Readable by owner and group. */
const mode = 0o100440

export const load = (which: Deployment) => {
  const at = (name: string) => `${secretsFolder[which]}/${name}`
  const files = {
    [file]: text(which),
    [at("quarry-key")]: { text: "key-of-the-service\n", mode },
    [at("redis-url")]: { text: "redis://:a-password@redis:6379\n", mode }
  }
  return Effect.provide(Load.load({ file, optionValues: {}, env: {} }), fakeFileSystem(files))
}
