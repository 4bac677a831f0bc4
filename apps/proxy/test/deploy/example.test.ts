/** examples/compose: a stack that starts without secrets, from the files of the deployment. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as Load from "../../src/config/Load.ts"
import { fakeFileSystem } from "../config/support.ts"
import { examples, sendRequest } from "../support/proxy.ts"
import * as Compose from "./support/compose.ts"
import * as Configs from "./support/configs.ts"
import * as Files from "./support/files.ts"
import * as Image from "./support/image.ts"

const folder = "../../../examples/compose/"

const compose = Compose.read(Files.document(`${folder}compose.yaml`))

const services = Object.entries(compose.services)

/** Host path and container path of each mounted file or folder. */
const mounts = services.flatMap(([service, { volumes = [] }]) =>
  volumes.filter((volume) => volume.startsWith(".")).map((volume) => {
    const [host = "", container = ""] = volume.split(":")
    return { service, host: `${folder}${host}`, container }
  })
)

const production = Compose.compose()

describe("the stack", () => {
  it("mounts files that exist, and Grafana's and Prometheus' where production has them", () => {
    expect(mounts.filter(({ host }) => !Files.exists(host))).toEqual([])
    for (const service of ["prometheus", "grafana"]) {
      const own = mounts.filter((mount) => mount.service === service).map((
        { host, container }
      ) => [
        join("/", host.replace(folder, "examples/compose/")).replace("/apps/proxy/deploy/", ""),
        container
      ])
      const theirs = (production.services[service]?.volumes ?? []).filter((volume) => volume.startsWith("./"))
        .map((volume) => volume.replace(/^\.\//, "").replace(/:ro$/, "").split(":"))
      expect(own).toEqual(theirs)
    }
  })

  it("has the images, users and networks of production, and the name that Prometheus scrapes", () => {
    expect(Object.keys(compose.services)).toEqual(["proxy", "redis", "prometheus", "grafana"])
    for (const [name, { image, user }] of services) {
      const theirs = production.services[name === "proxy" ? "proxy-a" : name]
      expect([name, image, user]).toEqual([name, theirs?.image, theirs?.user])
    }
    expect(compose.networks["inside"]).toEqual({ internal: true })
    expect(services.filter(([, service]) => !Compose.networksOf(service).includes("inside"))).toEqual([])
    expect(Files.text("prometheus/prometheus.yaml")).toContain("names: [proxy]")
    expect(Compose.networksOf(compose.services["redis"] ?? expect.fail())).toEqual(["inside"])
  })

  it("builds the image from existing files, and needs no secret", () => {
    const { build } = compose.services["proxy"] ?? {}
    expect(Files.exists(`${folder}${build?.context}/${build?.dockerfile}`)).toBe(true)
    expect(compose.secrets).toEqual({})
  })
})

const proxyConfig = readFileSync(join(Files.folder, folder, "quarry-proxy.yaml"), "utf8")

it.effect("the proxy accepts its configuration, with the published ports and Redis", () =>
  Effect.gen(function*() {
    const { config, warnings } = yield* Effect.provide(
      Load.load({ file: Configs.file, optionValues: {}, env: {} }),
      fakeFileSystem({ [Configs.file]: proxyConfig })
    )
    expect(warnings).toEqual([])
    expect([config.upstream.sandbox, config.allowAnonymous]).toEqual([true, true])
    // Nothing but Prometheus uses the admin listener
    expect([config.admin?.port, config.admin?.open]).toEqual([8651, "metrics"])
    expect(compose.services["proxy"]?.ports).toEqual([
      `127.0.0.1:${config.listen.port}:${config.listen.port}`
    ])
    expect(mounts).toContainEqual(expect.objectContaining({ service: "proxy", container: Configs.file }))
    expect(proxyConfig).toContain("redis://redis:6379")
  }))

describe.runIf(RedisServer.program !== undefined)(`the proxy and Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("run with these files: the proxy is ready, responds, and uses Redis", () =>
    Effect.gen(function*() {
      const redis = yield* RedisServer.make()
      const config = join(yield* Image.temporary, "quarry-proxy.yaml")
      writeFileSync(
        config,
        proxyConfig.replace(/port: \d+/g, "port: 0").replaceAll("0.0.0.0", "127.0.0.1")
          .replace("redis://redis:6379", redis.url)
      )
      const { adminPort, port } = yield* Image.start(join(Files.root, "apps/proxy"), ["--config", config])
      yield* sendRequest(port, "/readyz").pipe(
        Effect.repeat({
          until: ({ status }) => status === 200,
          schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo("10 seconds"))
        })
      )
      expect((yield* sendRequest(port, `/api/v2.2/erc20/${examples.token}/price?chain=eth`)).status).toBe(200)
      const metrics = (yield* sendRequest(adminPort, "/metrics")).text
      expect(metrics.match(/^quarry_store_available\{.*$/gm)).toEqual(
        ["rate limit", "cache"].map((store) => `quarry_store_available{store="${store}"} 1`)
      )
    }))
})
