#!/usr/bin/env bash
# effect 3.22.4 with @effect/platform-node 0.108.2: a response of HttpServerResponse.stream whose stream fails after its first chunk is
# ended in order: its last chunk is sent, so every client takes it for complete, with status 200. With HttpApp.toWebHandler of
# @effect/platform and the same program, the reader of the body gets the error. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund --legacy-peer-deps \
  effect@3.22.4 @effect/platform@0.97.2 @effect/platform-node@0.108.2 @effect/platform-node-shared@0.61.1 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Logger, Stream } from "effect"
import { createServer } from "node:http"
import { connect } from "node:net"

const app = Effect.succeed(HttpServerResponse.stream(
  Stream.concat(Stream.make(new TextEncoder().encode('{"a":1}\n')), Stream.fail("the second page failed"))
))

const wire = (port) => new Promise((resolve) => {
  let text = ""
  const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
  socket.on("data", (data) => text += data)
  socket.on("close", () => resolve(text))
})

const server = createServer()
const main = Effect.gen(function*() {
  yield* Layer.launch(HttpServer.serve(app).pipe(Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })))).pipe(Effect.forkScoped)
  while (server.address() === null) yield* Effect.sleep(10)
  const text = yield* Effect.promise(() => wire(server.address().port))
  console.log("node:", text.split("\r\n")[0], text.endsWith("0\r\n\r\n") ? "ends with the last chunk" : "has no last chunk")
  const response = yield* Effect.promise(() => HttpApp.toWebHandler(app)(new Request("http://localhost/")))
  console.log("web:", response.status, yield* Effect.promise(() => response.text().then(() => "complete", () => "the reader gets an error")))
})
await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger))))
process.exit(0)
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
node: HTTP/1.1 200 OK ends with the last chunk
web: 200 the reader gets an error
EXPECTED
