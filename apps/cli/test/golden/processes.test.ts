/** Compares the bundled program with the golden records: real streams, signals and sockets. */
import * as Server from "@blockquarry/sandbox/Server"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { start, type Started } from "../support/process.ts"
import { sandboxEnvironment } from "../support/quarry.ts"
import { listen } from "../support/server.ts"
import { recordPath, shown } from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { outcome, withoutPorts } from "./records.ts"

const { QUARRY_API_KEY } = sandboxEnvironment

const price = "token price {token}"

/** Formats the record of a process. */
const record = async ({ ended, env, line, terminal }: Started): Promise<string> =>
  [
    ...Object.entries(env).map(([name, value]) => `env ${name}=${JSON.stringify(value)}\n`),
    ...(terminal.stdout === undefined ? [] : [`standard output: a terminal of ${terminal.stdout} columns\n`]),
    ...(terminal.stderr === undefined ? [] : [`standard error: a terminal of ${terminal.stderr} columns\n`]),
    `${shown(line)}\n`,
    outcome(await ended)
  ].join("")

it("prints the same as the in-process command line", async () => {
  for (const line of ["token price --help", price]) {
    const { requests: _, ...expected } = await InProcess.run({ line })
    expect([line, await start(line).ended]).toEqual([line, expected])
  }
})

it("prints the version of its manifest", async () => {
  expect((await start("--version").ended).out.split("\n")[0]).toBe(manifest.version)
})

it("prints the recorded output for command lines", async () => {
  const server = createServer()
  const origin = await listen(server)
  server.close()
  const started = [
    start(`${price} --base-url ${origin}`, { QUARRY_API_KEY }),
    start(`${price} --base-url ${origin}`, { QUARRY_API_KEY: "key\u2116" })
  ]
  const records = await Promise.all(started.map(record))
  await expect(withoutPorts(records.join("\n"))).toMatchFileSnapshot(recordPath("process-lines"))
})

it("prints the recorded output on terminals", async () => {
  const owners =
    "token owners 0xff090b1bf339762131d479a58241b2e4482ebcf4 --chain polygon --largest 2 --sandbox"
  const started = [
    start(owners, {}, { stdout: 60, stderr: 60 }),
    start(owners, {}, { stderr: 60 }),
    start("walet", {}, { stderr: 60 })
  ]
  const records = await Promise.all(started.map(record))
  await expect(records.join("\n")).toMatchFileSnapshot(recordPath("process-terminals"))
})

it("prints the recorded output for servers and signals", async () => {
  const served = start("sandbox serve --port 0 --seed 1 --scale 60")
  const banner = await served.until("/chains'")
  const [, origin = ""] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(banner) ?? []
  const chains = start("wallet chains {wallet} --chains eth -o table", {
    QUARRY_API_KEY,
    QUARRY_BASE_URL: origin
  })
  await chains.ended
  served.interrupt()
  const { port } = new URL(await listen(createServer()))
  const taken = start(`sandbox serve --port ${port}`)
  const nowhere = start("sandbox serve --port 0 --host 192.0.2.1")
  await Promise.all([taken.ended, nowhere.ended])
  // The second page hangs
  const interrupted = await Effect.gen(function*() {
    const { origin } = yield* Server.SandboxServer
    const started = start("token transfers {token} --limit 2 --all -o ndjson", {
      QUARRY_API_KEY,
      QUARRY_BASE_URL: origin
    })
    yield* Effect.promise(() => started.until("QUSD"))
    started.interrupt()
    yield* Effect.promise(() => started.ended)
    return started
  }).pipe(
    Effect.provide(Server.layer({ scale: 60, faults: [{ skip: 1, fault: { kind: "hang" } }] })),
    Effect.runPromise
  )
  const records = await Promise.all([served, chains, taken, nowhere, interrupted].map(record))
  await expect(withoutPorts(records.join("\n")))
    .toMatchFileSnapshot(recordPath("process-servers"))
})
