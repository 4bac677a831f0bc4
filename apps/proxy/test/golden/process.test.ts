/** Records of the program's output: start, requests, reload, and shutdown. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { describe, it } from "vitest"
import * as TempFolder from "../fleet/support/TempFolder.ts"
import { program } from "../support/program.ts"
import { sendRequest } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { lineText, matches, named } from "./support/golden.ts"
import * as Program from "./support/program.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`

const shop = { name: "shop", tokens: [hash("of-the-shop")] }

const sandbox = {
  listen: { port: 0 },
  admin: { port: 0 },
  upstream: { sandbox: true },
  clients: [shop, { name: "no-client-1", tokens: [] }],
  shutdown: { delay: "1ms", timeout: "5s" }
}

/** JSON is YAML too. */
const yaml = (sections: Readonly<Record<string, unknown>>): string => JSON.stringify(sections, null, 2)

/** Replaces what differs between runs: times, durations, ports and paths. */
const normal = (text: string, folder: string, ports: ReadonlyArray<string>): string =>
  ports.reduce(
    (text, port, index) => text.replaceAll(new RegExp(`\\b${port}\\b`, "g"), `<port ${index + 1}>`),
    named(text, [])
  )
    .replaceAll(/qp_[\w-]{43}/g, "<token>")
    .replaceAll(folder, "<folder>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/"(millis|durationMs|waited|waitMs)":[\d.]+/g, "\"$1\":\"<millis>\"")

const portsIn = ({ stdout }: Program.Written): ReadonlyArray<string> => [
  ...new Set([...stdout.matchAll(/http:\/\/127\.0\.0\.1:(\d{4,5})\b/g)].map(([, port = ""]) => port))
]

const withFolder = async (use: (folder: TempFolder.TempFolder) => Promise<void>): Promise<void> => {
  const scope = await Effect.runPromise(Scope.make())
  try {
    await use(await Effect.runPromise(Scope.extend(TempFolder.make, scope)))
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Returns the output and the exit code. */
const transcript = async (running: Program.Running, folder: string): Promise<string> => {
  const code = await running.ended()
  const ports = portsIn(running.written())
  const { stdout } = running.written()
  const text = `--- standard output\n${stdout}--- standard error\n${
    running.lines().map(lineText).join("\n")
  }\n--- exit code ${code}\n`
  return normal(text, folder, ports)
}

const get = async (
  running: Program.Running,
  path: string,
  headers: Record<string, string>
): Promise<void> => {
  const lines = running.lines().length
  const [port = "0"] = portsIn(running.written())
  await Effect.runPromise(sendRequest(Number(port), path, { headers }))
  await running.reached(lines + 1)
}

describe("golden records", () => {
  it("of a program from start to shutdown", () =>
    withFolder(async (folder) => {
      const write = (text: string) => Effect.runPromise(folder.replace("proxy.yaml", text))
      const file = await write(yaml(sandbox))
      const running = Program.start(program, ["--config", file])
      await running.reached(3)
      await get(running, price, { "x-api-key": "of-the-shop", "x-request-id": "first" })
      await get(running, "/nowhere", { "x-request-id": "second" })
      await get(running, price, { "x-request-id": "third" })
      const read = async (text: string, count = 1) => {
        const lines = running.lines().length
        await write(text)
        running.signal("SIGHUP")
        await running.reached(lines + count)
      }
      await read(yaml({ ...sandbox, clients: [shop] }))
      await read(yaml({
        ...sandbox,
        listen: { port: 1 },
        admin: "off",
        upstream: { sandbox: false },
        cache: { maxBytes: "1MiB" },
        redis: { url: "redis://127.0.0.1:1", keyPrefix: "q:" },
        limits: { maxConnections: 10, maxHeaderBytes: "8KiB", requestTimeout: "1s", sendIdleTimeout: "1s" },
        shutdown: { delay: "2s", timeout: "6s" },
        log: { level: "debug" },
        clients: []
      }))
      await read("clients: [")
      await read(yaml(sandbox), 2)
      running.signal("SIGTERM")
      await matches(await transcript(running, folder.path("")), "program-sandbox.txt")
    }))

  it("of a program without a configuration", async () => {
    const running = Program.start(program, ["--port", "0", "--admin", "off"], {
      QUARRY_API_KEY: "key-of-the-upstream",
      QUARRY_BASE_URL: "http://127.0.0.1:1"
    })
    await running.reached(1)
    await get(running, price, { "x-request-id": "first" })
    await get(running, sampleRequests["ledgerTransaction"]?.path ?? "", { "x-request-id": "second" })
    running.signal("SIGINT")
    await matches(await transcript(running, "/nowhere"), "program-environment.txt")
  })
})
