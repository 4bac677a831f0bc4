/** nginx and HAProxy with the configurations of `deploy`, which need no root and use loopback ports. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { reservedPort } from "../../../../../packages/http/test/support/Server.ts"
import { find } from "../../deploy/support/program.ts"
import { Program } from "../../support/Process.ts"
import { type ConditionTimeout, eventually } from "./Eventually.ts"
import * as ProxyProcess from "./ProxyProcess.ts"
import * as TempFolder from "./TempFolder.ts"

export type BalancerName = "nginx" | "haproxy"

/** The main configuration of nginx. Its workers can write to the folder. */
const nginxMain = (folder: string, file: string) =>
  `${process.getuid?.() === 0 ? "user root;" : ""} pid ${folder}/nginx.pid; events {} http { access_log off;
  include ${file};
  ${
    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(" ")
  } }`

/** Replaces each address of the configuration, which must contain it. */
const replaceAll = (text: string, replacements: ReadonlyArray<readonly [from: string, to: string]>): string =>
  replacements.reduce((replaced, [from, to]) => {
    if (!replaced.includes(from)) throw new Error(`the configuration does not contain ${from}`)
    return replaced.replaceAll(from, to)
  }, text)

/** Starts a program, and waits until it accepts connections on the port. Dies if the program ends before that. */
export const launch = (
  program: string,
  args: ReadonlyArray<string>,
  port: number
): Effect.Effect<void, ConditionTimeout, Scope.Scope> =>
  Effect.gen(function*() {
    const ended = (child: Program) => Effect.promise(() => child.ended())
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => new Program([program, ...args], {})),
      (child) => Effect.zipRight(Effect.sync(() => child.signal("SIGTERM")), ended(child))
    )
    yield* Effect.raceFirst(
      eventually(`port ${port} is open`, ProxyProcess.isListening(port)),
      Effect.flatMap(ended(child), (ended) =>
        Effect.dieMessage(`${program} has ended: ${JSON.stringify(ended)}`))
    )
  })

/** Starts a balancer before two servers on these ports, and waits until it accepts connections. Returns its port. */
export const start = (
  name: BalancerName,
  [a, b]: readonly [number, number]
): Effect.Effect<number, ConditionTimeout, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* reservedPort
    const folder = yield* TempFolder.make
    const file = name === "nginx" ? "quarry-proxy.conf" : "haproxy.cfg"
    const config = replaceAll(
      readFileSync(new URL(`../../../deploy/${name}/${file}`, import.meta.url), "utf8"),
      [
        ["10.0.0.11:8650", `127.0.0.1:${a}`],
        ["10.0.0.12:8650", `127.0.0.1:${b}`],
        name === "nginx"
          ? ["listen 8650;", `listen 127.0.0.1:${port};`]
          : ["bind :8650", `bind 127.0.0.1:${port}`]
      ]
    )
    const path = yield* folder.write(file, config)
    if (name === "haproxy") yield* launch(find(name) ?? name, ["-db", "-f", path], port)
    else {
      const at = folder.path(".")
      const main = yield* folder.write("nginx.conf", nginxMain(at, path))
      const args = ["-p", at, "-e", folder.path("error.log"), "-c", main, "-g", "daemon off;"]
      yield* launch(find(name) ?? name, args, port)
    }
    return port
  })
