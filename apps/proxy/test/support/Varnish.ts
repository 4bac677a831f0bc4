/** Varnish, with its built-in rules, in front of a server. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { reservedPort } from "../../../../packages/http/test/support/Server.ts"
import { find } from "../deploy/support/program.ts"
import * as Balancer from "../fleet/support/Balancer.ts"
import type { ConditionTimeout } from "../fleet/support/Eventually.ts"
import * as TempFolder from "../fleet/support/TempFolder.ts"

/** The path of the program, or undefined if it is not installed. */
export const program = find("varnishd")

/** Starts Varnish, and waits until it accepts connections. Returns its port. */
export const start = (backend: number): Effect.Effect<number, ConditionTimeout, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* reservedPort
    const folder = yield* TempFolder.make
    const rules = yield* folder.write(
      "default.vcl",
      `vcl 4.1; backend default { .host = "127.0.0.1"; .port = "${backend}"; }`
    )
    // Without a jail: with one, Varnish of a root user could not read the folder
    const args = `-j none -F -n ${folder.path(".")} -a 127.0.0.1:${port} -f ${rules} -s malloc,16m`.split(" ")
    yield* Balancer.launch(program ?? "varnishd", args, port)
    return port
  })
