#!/usr/bin/env bash
# Bottleneck 2.19.5 limits jobs, not their retries: when a "failed" handler asks for a retry, the job runs again after the delay of the
# handler, without taking from the reservoir and without keeping minTime. Three jobs of a limiter that allows 3 requests in 10 s, 200 ms
# apart, send 18 of them, six within a few milliseconds. So the retries after a 429 exceed the limit that the 429 reports. A job that is
# scheduled again is limited. Guess: each run counts, since the retry is the limiter's own.
# Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund bottleneck@2.19.5 >/dev/null

cat >program.mjs <<'PROGRAM'
import Bottleneck from "bottleneck"
const run = async (label, retryInHandler) => {
  const limiter = new Bottleneck({ reservoir: 3, reservoirRefreshAmount: 3, reservoirRefreshInterval: 10_000, minTime: 200 })
  const times = []
  const request = async () => {
    times.push(performance.now())
    throw new Error("429")
  }
  if (retryInHandler) limiter.on("failed", (_error, { retryCount }) => (retryCount < 5 ? 1 : undefined))
  const scheduled = async () => {
    for (let attempt = 0; attempt < (retryInHandler ? 1 : 6); attempt++) await limiter.schedule(request).catch(() => {})
  }
  void Promise.all([scheduled(), scheduled(), scheduled()])
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const together = Math.max(...times.map((start) => times.filter((time) => time >= start && time < start + 150).length))
  console.log(`${label}: ${times.length} requests in 3 s, up to ${together} within 150 ms; reservoir ${await limiter.currentReservoir()}`)
}
await run("retries by the handler", true)
await run("scheduled again", false)
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
retries by the handler: 18 requests in 3 s, up to 6 within 150 ms; reservoir 0
scheduled again: 3 requests in 3 s, up to 1 within 150 ms; reservoir 0
EXPECTED
