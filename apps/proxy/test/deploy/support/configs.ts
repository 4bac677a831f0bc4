/** Loads the deployed configurations as the proxy does, with their secrets at the configured paths. */
import * as Effect from "effect/Effect"
import type { Config } from "../../../src/config/Config.ts"
import * as Load from "../../../src/config/Load.ts"
import { fakeFileSystem } from "../../config/support.ts"
import * as Files from "./files.ts"

export const all = ["compose", "kubernetes"] as const

export type Deployment = (typeof all)[number]

/** The path in the container. */
export const file = "/etc/quarry-proxy/quarry-proxy.yaml"

/** The directory of secrets in the container. */
export const secretsFolder = { compose: "/run/secrets", kubernetes: "/run/secrets/quarry-proxy" } as const

/** Readable by owner and group. */
const mode = 0o100440

/** Loads a configuration. */
export const read = (text: string, secrets: Readonly<Record<string, { text: string; mode: number }>> = {}) =>
  Effect.provide(
    Load.load({ optionValues: {}, env: { QUARRY_PROXY_CONFIG: file } }),
    fakeFileSystem({ [file]: text, ...secrets })
  )

export const load = (which: Deployment) =>
  read(
    which === "compose"
      ? Files.text("compose/quarry-proxy.yaml")
      : String(Object(Files.document("kubernetes/configmap.yaml")).data["quarry-proxy.yaml"]),
    {
      [`${secretsFolder[which]}/quarry-key`]: { text: "key-of-the-service\n", mode },
      [`${secretsFolder[which]}/redis-url`]: { text: "redis://:a-password@redis:6379\n", mode }
    }
  )

/** In MiB: Node with the program and garbage, encoded responses, parsed requests and buffered log lines. */
const fixedMemory = [320, 32, 16, 8]

/** The maximum memory of a process in MiB, by the table in README.md. */
export const worstCaseMemory = ({ cache, limits }: Config): number =>
  fixedMemory.reduce((sum, part) => sum + part) +
  (cache.maxBytes + limits.maxConcurrentRequests * limits.maxResponseBytes) / 2 ** 20
