#!/usr/bin/env bash
# Hono 4.13.19: if the callback of stream() or streamText() throws, the response ends in order, with the last chunk and status 200, so a
# client takes the records so far for all of them. Hono writes the error to stderr; app.onError is not called, the handler that is the third
# parameter of stream() is, and the response ends in order all the same. So does streamSSE. A ReadableStream that fails as the body cuts the
# connection. Guess: the connection is cut. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund hono@4.13.19 @hono/node-server@2.1.9 >/dev/null

cat >program.mjs <<'PROGRAM'
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { stream, streamSSE, streamText } from "hono/streaming"
import { once } from "node:events"
import { connect } from "node:net"
console.error = () => {}
const called = []
const record = '{"record":1}\n'
const write = async (stream) => {
  await stream.write(record)
  throw new Error("the upstream is down")
}
const app = new Hono()
app.onError((_, context) => {
  called.push("app.onError")
  return context.text("error", 500)
})
app.get("/stream", (context) => stream(context, write))
app.get("/stream-with-handler", (context) => stream(context, write, async () => called.push("handler")))
app.get("/streamText", (context) => streamText(context, write))
app.get("/streamSSE", (context) => streamSSE(context, async (stream) => {
  await stream.writeSSE({ data: record.trim() })
  throw new Error("the upstream is down")
}))
let pulls = 0
const body = () => new ReadableStream({ async pull(controller) {
  if (pulls++ === 0) return controller.enqueue(new TextEncoder().encode(record))
  // The record has been sent when the body fails
  await new Promise((resolve) => setTimeout(resolve, 200))
  controller.error(new Error("the upstream is down"))
} }, { highWaterMark: 0 })
app.get("/body", (context) => context.body(body()))
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" })
if (!server.listening) await once(server, "listening")
const read = (path) => new Promise((resolve) => {
  let text = ""
  const socket = connect(server.address().port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`))
  socket.setEncoding("latin1").on("data", (data) => (text += data)).on("error", () => {}).on("close", () => {
    resolve(`${text.slice(9, 12)}, ${text.match(/"record"/g)?.length ?? 0} records, ${text.endsWith("0\r\n\r\n") ? "complete" : "cut"}`)
  })
})
for (const path of ["/stream", "/stream-with-handler", "/streamText", "/streamSSE", "/body"]) {
  called.length = 0
  console.log(`${path}: ${await read(path)}; called: ${called.join(", ") || "nothing"}`)
}
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
/stream: 200, 1 records, complete; called: nothing
/stream-with-handler: 200, 1 records, complete; called: handler
/streamText: 200, 1 records, complete; called: nothing
/streamSSE: 200, 1 records, complete; called: nothing
/body: 200, 1 records, cut; called: nothing
EXPECTED
