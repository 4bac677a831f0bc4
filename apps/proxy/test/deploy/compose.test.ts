/** The Compose files, of the deployment and of examples/compose: hardening, and consistency with what they start. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { reservedPort } from "../../../../packages/http/test/support/Server.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { defaults } from "../../src/config/Config.ts"
import { eventually } from "../fleet/support/Eventually.ts"
import * as ProxyProcess from "../fleet/support/ProxyProcess.ts"
import * as TempFolder from "../fleet/support/TempFolder.ts"
import { bytes, openConnection } from "../hostile/rawHttp.ts"
import { examples, sendRequest } from "../support/proxy.ts"
import * as Configs from "./support/configs.ts"
import * as Files from "./support/files.ts"
import { run } from "./support/program.ts"

/** What every service has. */
const hardened = {
  // Pinned, because `latest` changes
  image: expect.stringMatching(
    /^[a-z./-]+:(?:v?\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?|\$\{QUARRY_PROXY_VERSION:-\d+\.\d+\.\d+\})$/
  ),
  read_only: true,
  user: expect.stringMatching(/^[1-9]\d*:\d+$/),
  cap_drop: ["ALL"],
  security_opt: ["no-new-privileges:true"],
  mem_limit: expect.stringMatching(/^\d+m$/),
  pids_limit: expect.any(Number)
}

const Texts = Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })

const Named = Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), {
  default: () => ({})
})

const Service = Schema.Struct({
  image: Schema.String,
  user: Schema.String,
  command: Texts,
  environment: Named,
  volumes: Texts,
  secrets: Texts,
  networks: Schema.Unknown,
  ports: Texts,
  healthcheck: Schema.Struct({ test: Schema.Array(Schema.String) }),
  stop_grace_period: Schema.optional(Schema.String),
  mem_limit: Schema.String,
  ulimits: Schema.optional(Schema.Struct({ nofile: Schema.Struct({ soft: Schema.Int }) }))
})

const Compose = Schema.Struct({
  services: Schema.Record({ key: Schema.String, value: Service }),
  networks: Named
})

const read = (folder: string) => Schema.decodeUnknownSync(Compose)(Files.document(`${folder}compose.yaml`))

const exampleFolder = "../../../examples/compose/"

const [deployed, example] = [read(""), read(exampleFolder)]

const networksOf = ({ networks }: typeof Service.Type) =>
  Array.isArray(networks) ? networks.map(String) : Object.keys(Object(networks))

const docker = (...args: ReadonlyArray<string>) => run("docker", ["compose", ...args], Files.folder)

const hasDocker = docker("version").status === 0

describe.each([["the deployment", "", deployed], ["the example", exampleFolder, example]] as const)(
  "%s",
  (_, folder, { services }) => {
    const all = Object.values(services)

    it("hardens every service, which only this machine can reach", () => {
      const document = Object(Files.document(`${folder}compose.yaml`))
      expect(Object.values(document.services)).toMatchObject(all.map(() => hardened))
      expect(all.flatMap(({ ports }) => ports.filter((port) => !port.startsWith("127.0.0.1:")))).toEqual([])
      const writable = all.flatMap(({ volumes }) => volumes.filter((volume) => !volume.endsWith(":ro")))
      expect(writable.filter((volume) => !/^[a-z]+:/.test(volume))).toEqual([])
    })

    it.runIf(hasDocker)(
      `is what Docker accepts${hasDocker ? "" : " (skipped: docker is not installed)"}`,
      () => {
        expect(docker("--file", `${folder}compose.yaml`, "config", "--quiet"))
          .toMatchObject({ status: 0 })
      }
    )
  }
)

const proxies = Object.entries(deployed.services).filter(([, { image }]) => image.startsWith("quarry-proxy:"))

it("no secret is in a variable or an argument", () => {
  for (const [name, { command, environment }] of Object.entries(deployed.services)) {
    const suspicious = Object.entries(environment).filter(([variable, value]) =>
      /password|secret|key|token/i.test(variable) && !String(value).startsWith("/run/secrets/")
    )
    expect([name, suspicious]).toEqual([name, []])
    expect([name, command.filter((word) => /requirepass(?! \$\$\(cat )/.test(word))]).toEqual([name, []])
  }
})

it("only the proxies reach Redis", () => {
  expect([deployed.networks["store"], example.networks["inside"]]).toEqual([{ internal: true }, {
    internal: true
  }])
  const inStore = Object.entries(deployed.services).filter(([, service]) =>
    networksOf(service).includes("store")
  )
  expect(inStore.map(([name]) => name)).toEqual([...proxies.map(([name]) => name), "redis"])
  for (const { services } of [deployed, example]) expect(services["redis"]?.ports).toEqual([])
})

it.effect("the proxies find their configuration and secrets, and have time and memory for them", () =>
  Effect.gen(function*() {
    const { config, files, warnings } = yield* Configs.load("compose")
    const { admin, listen, shutdown } = config
    expect(warnings).toEqual([])
    expect([listen.host, admin?.host]).toEqual(["0.0.0.0", "0.0.0.0"])
    const secrets = files.filter((file) => file.startsWith(`${Configs.secretsFolder.compose}/`))
    for (const [, proxy] of proxies) {
      expect(proxy.ports.map((port) => Number(port.split(":")[2]))).toEqual([listen.port])
      expect(proxy.healthcheck.test.join(" ")).toContain(`http://127.0.0.1:${listen.port}/readyz`)
      expect(proxy.command).toEqual(["--config", Configs.file])
      expect(proxy.volumes).toEqual([`./compose:${dirname(Configs.file)}:ro`])
      expect(proxy.secrets.map((name) => `${Configs.secretsFolder.compose}/${name}`).toSorted())
        .toEqual(secrets.toSorted())
      // Leaves time for graceful shutdown
      expect(Number.parseInt(proxy.stop_grace_period ?? "0", 10))
        .toBeGreaterThanOrEqual(Duration.toSeconds(shutdown.delay) + Duration.toSeconds(shutdown.timeout) + 5)
      expect(proxy.ulimits?.nofile.soft).toBeGreaterThan(2 * defaults.limits.maxConnections)
      expect(Number.parseInt(proxy.mem_limit, 10)).toBeGreaterThanOrEqual(Configs.worstCaseMemory(config))
    }
  }))

it.runIf(process.env["QUARRY_CHECK"] === "1")("a full check requires redis-server", () => {
  expect(RedisServer.program).toBeDefined()
})

describe.runIf(RedisServer.program !== undefined)(`Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("of the deployment requires the password, limits its memory, and evicts entries instead of failing", () =>
    Effect.gen(function*() {
      const port = yield* reservedPort
      const folder = yield* TempFolder.make
      const { command = [], mem_limit = "" } = deployed.services["redis"] ?? {}
      const config = Files.text("compose/redis.conf").replace(/^port .*$/m, `port ${port}`)
      yield* folder.write("redis.conf", config.replace(/^bind .*$/m, "bind 127.0.0.1"))
      yield* folder.write("redis-password", "a-password\n")
      const [shell = "", ...words] = command.map((word) =>
        word.replaceAll("$$", "$").replaceAll(/\/(etc\/redis|run\/secrets)\//g, folder.path("/"))
      )
      yield* Effect.acquireRelease(
        Effect.sync(() => spawn(shell, words, { stdio: "ignore" })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const send = (...lines: ReadonlyArray<string>) =>
        Effect.flatMap(openConnection(port), ({ closed, socket }) => {
          socket.write(bytes([...lines, "QUIT", ""].join("\r\n")))
          return closed
        })
      expect(yield* Effect.retry(send("GET a"), Schedule.spaced("20 millis"))).toContain("NOAUTH")
      const settings = yield* send("AUTH a-password", "CONFIG GET maxmemory maxmemory-policy save")
      const mebibytes = 256
      expect(settings.split("\r\n"))
        .toEqual(expect.arrayContaining([String(mebibytes * 2 ** 20), "allkeys-lru", "save", ""]))
      expect(Number.parseInt(mem_limit, 10)).toBeGreaterThanOrEqual(1.25 * mebibytes)
    }))

  it.scopedLive("and the proxy run with the files of the example", () =>
    Effect.gen(function*() {
      const { url } = yield* RedisServer.make()
      const text = Files.text(`${exampleFolder}quarry-proxy.yaml`)
      expect(text).toContain("redis://redis:6379")
      const { config, warnings } = yield* Configs.read(text)
      expect([warnings, config.upstream.sandbox, config.allowAnonymous]).toEqual([[], true, true])
      // Nothing but Prometheus uses the admin listener
      expect([config.admin?.port, config.admin?.open]).toEqual([8651, "metrics"])
      const port = config.listen.port
      expect(example.services["proxy"]?.ports).toEqual([`127.0.0.1:${port}:${port}`])
      expect(example.services["proxy"]?.volumes).toEqual([`./quarry-proxy.yaml:${Configs.file}:ro`])
      const local = text.replace(/port: \d+/g, "port: 0").replaceAll("0.0.0.0", "127.0.0.1")
      const { write } = yield* TempFolder.make
      const file = yield* write("quarry-proxy.yaml", local.replace("redis://redis:6379", url))
      const proxy = yield* ProxyProcess.start(["--config", file])
      yield* eventually("the proxy is ready", ProxyProcess.isReady(proxy.port))
      const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
      expect((yield* sendRequest(proxy.port, price)).status).toBe(200)
      const metrics = yield* Effect.promise(() => fetch(`${proxy.adminOrigin}/metrics`).then((_) => _.text()))
      expect(metrics.match(/^quarry_store_available\{.*$/gm)).toEqual(
        ["rate limit", "cache", "usage"].map((store) => `quarry_store_available{store="${store}"} 1`)
      )
    }))
})
