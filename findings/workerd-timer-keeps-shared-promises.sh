#!/usr/bin/env bash
# workerd 1.20261117.1: four requests at once share one fetch of 300 ms through a promise in a variable of the module. One gets its
# response, and three get status 500 at once, although the promise resolves: a request that waits only for another one counts as
# hung. A timer of its own prevents it, even one that fires in 24 days: then all four get the response after 300 ms. Needs Node and
# the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund --ignore-scripts workerd@1.20261117.1 >/dev/null

cat >worker.js <<'WORKER'
let shared
const resolvers = []
export default {
  async fetch(request, { UPSTREAM }) {
    const first = shared === undefined
    if (first) shared = fetch(UPSTREAM).then((response) => response.text())
    const own = new Promise((resolve) => resolvers.push(resolve))
    if (first) {
      const text = await shared
      for (const resolve of resolvers) resolve(text)
      shared = undefined
    }
    if (new URL(request.url).pathname === "/timer") {
      const timer = setTimeout(() => {}, 2 ** 31 - 1)
      own.then(() => clearTimeout(timer))
    }
    return new Response(await own)
  }
}
WORKER

cat >program.mjs <<'PROGRAM'
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
const upstream = createServer((_, response) => setTimeout(() => response.end("text"), 300))
await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve))
const url = `http://127.0.0.1:${upstream.address().port}/`
writeFileSync("config.capnp", `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [(name = "UPSTREAM", text = "${url}")]
);`)
for (const path of ["promise", "timer"]) {
  const workerd = spawn("node_modules/workerd/bin/workerd", ["serve", "--control-fd=1", "config.capnp"], {
    stdio: ["ignore", "pipe", "ignore"]
  })
  const port = await new Promise((resolve) => workerd.stdout.once("data", (line) => resolve(JSON.parse(line).port)))
  const get = () =>
    fetch(`http://127.0.0.1:${port}/${path}`).then(({ status }) => status)
  const results = await Promise.all([get(), get(), get(), get()])
  console.log(`${path}: ${results.sort().join(", ")}`)
  workerd.kill("SIGKILL")
}
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
promise: 200, 500, 500, 500
timer: 200, 200, 200, 200
EXPECTED
