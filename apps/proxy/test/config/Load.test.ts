/** Loads files, variables and options of the command line. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { baseUrlAndKey, load } from "./support.ts"

it.effect("variables that Kubernetes sets for a service named quarry-proxy are ignored", () =>
  Effect.gen(function*() {
    const env = {
      ...baseUrlAndKey,
      QUARRY_PROXY_SERVICE_HOST: "10.0.0.1",
      QUARRY_PROXY_SERVICE_PORT_HTTP: "8650",
      QUARRY_PROXY_PORT: "tcp://10.0.0.1:8650",
      QUARRY_PROXY_PORT_8650_TCP: "tcp://10.0.0.1:8650",
      QUARRY_PROXY_PORT_8650_TCP_PROTO: "tcp",
      QUARRY_PROXY_ADMIN_SERVICE_HOST: "10.0.0.2",
      QUARRY_PROXY_ADMIN_PORT: "tcp://10.0.0.2:8651",
      QUARRY_PROXY_ADMIN_PORT_8651_TCP_ADDR: "10.0.0.2"
    }
    const { config, warnings } = yield* load({ env })
    expect([config.listen.port, warnings]).toEqual([8650, []])
  }))
