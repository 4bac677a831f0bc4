/** compose.yaml: schema, hardening and consistency. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaults } from "../../src/config/Config.ts"
import * as Compose from "./support/compose.ts"
import * as Configs from "./support/configs.ts"
import * as Files from "./support/files.ts"
import * as Memory from "./support/memory.ts"
import { find } from "./support/program.ts"

const compose = Compose.compose()

const services = Object.entries(compose.services)

const proxies = services.filter(([, { image }]) => image.startsWith("quarry-proxy:"))

const redis = compose.services["redis"]

/** Seconds. */
const seconds = (time: string | undefined): number => Number(/^(\d+)s$/.exec(time ?? "")?.[1])

describe("the schema", () => {
  it("rejects unknown keys", () => {
    const document = Files.document("compose.yaml")
    const broken = (service: object) => () =>
      Compose.read({ ...document, services: { redis: { ...compose.services["redis"], ...service } } })
    expect(broken({})).not.toThrow()
    expect(broken({ read_onyl: true })).toThrow("read_onyl")
    expect(broken({ read_only: false })).toThrow("read_only")
    expect(broken({ image: "redis:latest" })).toThrow("image")
    expect(broken({ ports: ["6379:6379"] })).toThrow("ports")
    expect(broken({ user: "0:0" })).toThrow("user")
  })

  it("defines every secret, network, volume and service that is used, and uses all that are defined", () => {
    const used = (of: (service: Compose.ComposeService) => ReadonlyArray<string>) =>
      [...new Set(services.flatMap(([, service]) => of(service)))].toSorted()
    expect(used(({ secrets = [] }) => secrets)).toEqual(Object.keys(compose.secrets).toSorted())
    expect(used(Compose.networksOf)).toEqual(Object.keys(compose.networks).toSorted())
    const sources = used(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0] ?? ""))
    expect(sources.filter((name) => !name.startsWith("./"))).toEqual(Object.keys(compose.volumes).toSorted())
    expect(sources.filter((name) => name.startsWith("./") && !Files.exists(name))).toEqual([])
    expect(
      used(({ depends_on = {} }) => Object.keys(depends_on)).filter((name) => !(name in compose.services))
    )
      .toEqual([])
  })

  it("builds the image from existing files", () => {
    for (const [name, { build }] of proxies) {
      expect([name, Files.exists(`${build?.context}/${build?.dockerfile}`)]).toEqual([name, true])
    }
  })
})

describe("secrets", () => {
  it("are files named after the secret, outside the repository", () => {
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`)
    expect(Files.filesIn("secrets")).toContain(".gitignore")
    const ignored = Files.text("secrets/.gitignore").split("\n").filter((line) => /^[^#]/.test(line))
    expect(ignored).toEqual(["*", "!.gitignore"])
  })

  it("are in no variable and no argument", () => {
    for (const [name, { command = [], environment = {} }] of services) {
      const suspicious = Object.entries(environment).filter(([variable, value]) =>
        /password|secret|key|token/i.test(variable) && !value.startsWith("/run/secrets/")
      )
      expect([name, suspicious]).toEqual([name, []])
      expect([name, command.filter((word) => /requirepass(?! \$\$\(cat )/.test(word))]).toEqual([name, []])
    }
  })

  it("are created by the commands in README", () => {
    const readme = Files.text("README.md")
    for (const name of Object.keys(compose.secrets)) expect(readme).toContain(`secrets/${name}`)
  })
})

describe("networks", () => {
  it("connect Redis only with the proxies", () => {
    expect(compose.networks["store"]).toEqual({ internal: true })
    const inStore = services.filter(([, service]) => Compose.networksOf(service).includes("store"))
    expect(inStore.map(([name]) => name)).toEqual([...proxies.map(([name]) => name), "redis"])
    expect(redis?.ports).toBeUndefined()
  })

  it("give both proxies one name", () => {
    expect(proxies).toHaveLength(2)
    for (const [, { networks }] of proxies) {
      expect(networks).toMatchObject({ clients: { aliases: ["proxy"] }, monitoring: { aliases: ["proxy"] } })
    }
  })

  it("publish each host port once", () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports.map((port) => port.split(":")[1]))
    expect(new Set(ports).size).toBe(ports.length)
  })
})

describe("the configuration of the proxies", () => {
  it.effect("is valid without warnings, and listens on all addresses", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* Configs.load("compose")
      expect(warnings).toEqual([])
      expect([config.listen.host, config.admin?.host]).toEqual(["0.0.0.0", "0.0.0.0"])
    }))

  it.effect("has the ports that other services use", () =>
    Effect.gen(function*() {
      const { config: { listen, admin } } = yield* Configs.load("compose")
      for (const [name, { healthcheck, ports = [] }] of proxies) {
        expect([name, ports.map((port) => Number(port.split(":")[2]))]).toEqual([name, [listen.port]])
        expect(healthcheck.test.join(" ")).toContain(`http://127.0.0.1:${listen.port}/readyz`)
      }
      const Scraped = Schema.Struct({
        scrape_configs: Schema.Tuple(Schema.Struct({
          job_name: Schema.Literal("quarry-proxy"),
          dns_sd_configs: Schema.Tuple(
            Schema.Struct({ names: Schema.Tuple(Schema.String), port: Schema.Int })
          )
        }))
      })
      const { scrape_configs: [{ dns_sd_configs: [{ names, port }] }] } = Schema.decodeUnknownSync(Scraped)(
        Files.document("prometheus/prometheus.yaml")
      )
      expect([names, port]).toEqual([["proxy"], admin?.port])
    }))

  it.effect("is mounted at the configured path, beside its secrets", () =>
    Effect.gen(function*() {
      const { files } = yield* Configs.load("compose")
      const folder = Configs.secretsFolder.compose
      const secrets = files.filter((file) => file.startsWith(`${folder}/`)).map((file) =>
        file.slice(folder.length + 1)
      )
      for (const [, proxy] of proxies) {
        expect(proxy.command).toEqual(["--config", Configs.file])
        expect(proxy.volumes).toEqual([
          `./compose:${Configs.file.slice(0, Configs.file.lastIndexOf("/"))}:ro`
        ])
        expect(proxy.secrets?.toSorted()).toEqual(secrets.toSorted())
      }
      expect(Files.filesIn("compose")).toContain("quarry-proxy.yaml")
    }))

  it.effect("leaves time for graceful shutdown before SIGKILL", () =>
    Effect.gen(function*() {
      const { config: { shutdown } } = yield* Configs.load("compose")
      const needed = Duration.toSeconds(shutdown.delay) + Duration.toSeconds(shutdown.timeout)
      for (const [, proxy] of proxies) {
        expect(seconds(proxy.stop_grace_period)).toBeGreaterThanOrEqual(needed + 5)
        expect(proxy.ulimits?.["nofile"]?.soft).toBeGreaterThan(2 * defaults.limits.maxConnections)
      }
    }))
})

it.effect("memory limits match the table in README", () =>
  Effect.gen(function*() {
    const { config } = yield* Configs.load("compose")
    for (const [name, { mem_limit }] of proxies) {
      expect([name, Number.parseInt(mem_limit, 10) >= Memory.worstCaseMemory(config)]).toEqual([name, true])
      expect(Files.text("README.md")).toContain(`these files give ${Number.parseInt(mem_limit, 10)} MiB`)
    }
    const { maxResponseBytes, maxConcurrentRequests } = config.limits
    const product = `${maxConcurrentRequests} × ${maxResponseBytes / 2 ** 20} MiB = ${
      Memory.responsesInFlight(config)
    } MiB`
    expect(Files.text("README.md")).toContain(product)
    for (const part of Object.values(Memory.fixedMemory)) {
      expect(Files.text("README.md")).toContain(`| ${part} MiB `)
    }
  }))

describe("Grafana", () => {
  it("loads its data source and the dashboard", () => {
    const mounts = compose.services["grafana"]?.volumes ?? []
    expect(mounts).toContain("./grafana/provisioning:/etc/grafana/provisioning:ro")
    const Provider = Schema.Struct({
      providers: Schema.Tuple(Schema.Struct({ options: Schema.Struct({ path: Schema.String }) }))
    })
    const { providers: [{ options: { path } }] } = Schema.decodeUnknownSync(Provider)(
      Files.document("grafana/provisioning/dashboards/quarry-proxy.yaml")
    )
    expect(mounts).toContain(`./grafana/quarry-proxy.json:${path}/quarry-proxy.json:ro`)
    const Sources = Schema.Struct({
      datasources: Schema.Tuple(Schema.Struct({ type: Schema.Literal("prometheus"), url: Schema.String }))
    })
    const { datasources: [{ url }] } = Schema.decodeUnknownSync(Sources)(
      Files.document("grafana/provisioning/datasources/prometheus.yaml")
    )
    expect(new URL(url).hostname in compose.services).toBe(true)
  })
})

const redisServer = find("redis-server")

it.runIf(process.env["QUARRY_CHECK"] === "1")(
  "a full check requires redis-server",
  () => {
    expect(redisServer).toBeDefined()
  }
)

const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address()
    server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0)))
  })
})

/** Sends lines, and reads until every line has a response. */
const sendLines = (port: number, lines: ReadonlyArray<string>): Effect.Effect<string, Error> =>
  Effect.async((resume) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(`${[...lines, "QUIT"].join("\r\n")}\r\n`))
    socket.on("data", (piece) => {
      received += String(piece)
    })
    socket.on("close", () => resume(Effect.succeed(received)))
    socket.on("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

/** The command of the Redis service, with local paths and another port. */
const started = (port: number, password: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "quarry-compose-"))
      const conf = Files.text("compose/redis.conf").replace(/^port .*$/m, `port ${port}`)
      writeFileSync(join(folder, "redis.conf"), conf.replace(/^bind .*$/m, "bind 127.0.0.1"))
      writeFileSync(join(folder, "redis-password"), `${password}\n`)
      const [shell = "", ...words] = (redis?.command ?? []).map((word) =>
        word.replaceAll("$$", "$").replaceAll("/etc/redis/", `${folder}/`).replaceAll(
          "/run/secrets/",
          `${folder}/`
        )
      )
      return { child: spawn(shell, words, { stdio: "ignore" }), folder }
    }),
    ({ child, folder }) =>
      Effect.async<void>((resume) => {
        child.once("exit", () => {
          rmSync(folder, { recursive: true })
          resume(Effect.void)
        })
        child.kill("SIGTERM")
      })
  )

describe.runIf(redisServer !== undefined)(
  `Redis${redisServer === undefined ? " (skipped: redis-server is not installed)" : ""}`,
  () => {
    it.scopedLive("requires the password of the secret, limits its memory, and evicts entries instead of failing", () =>
      Effect.gen(function*() {
        const port = yield* freePort
        yield* started(port, "a-password")
        const refused = yield* Effect.retry(
          sendLines(port, ["GET a"]),
          Schedule.spaced("20 millis").pipe(Schedule.upTo("10 seconds"))
        )
        expect(refused).toContain("NOAUTH")
        const received = yield* sendLines(port, [
          "AUTH a-password",
          "CONFIG GET maxmemory",
          "CONFIG GET maxmemory-policy",
          "CONFIG GET save"
        ])
        expect(received.split("\r\n").filter((line) => /^[a-z0-9]/.test(line)))
          .toEqual(["maxmemory", String(256 * 1024 * 1024), "maxmemory-policy", "allkeys-lru", "save"])
      }))

    it("has a memory limit below that of its container", () => {
      expect(Number.parseInt(redis?.mem_limit ?? "0", 10)).toBeGreaterThanOrEqual(1.25 * 256)
    })
  }
)
