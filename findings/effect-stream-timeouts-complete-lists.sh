#!/usr/bin/env bash
# Stream.timeout of Effect 4.1.0 and 3.22.4 ends the stream in order if no element comes in time, while Effect.timeout fails: a list whose
# upstream stalls is its first records, with success, and runCollect, files and responses made of it look whole. Stream.timeoutFail of Effect
# 3 fails. Stream.retry begins anew and emits the records again that were emitted before the failure, so a list that fails twice has its
# start three times. Guess: a failure as with Effect.timeout; each record once. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as effect3 from "effect3"
import * as effect4 from "effect4"
for (const [name, { Effect, Schedule, Stream }] of Object.entries({ "effect 4.1.0": effect4, "effect 3.22.4": effect3 })) {
  const run = async (label, effect) => {
    const exit = await Effect.runPromise(Effect.exit(effect))
    console.log(`${name}, ${label}: ${exit._tag}${exit._tag === "Success" ? ` ${[...exit.value].join(" ")}` : ""}`)
  }
  const stalls = Stream.concat(Stream.make(1, 2), Stream.never)
  await run("Stream.timeout", stalls.pipe(Stream.timeout("200 millis"), Stream.runCollect))
  if (Stream.timeoutFail) await run("Stream.timeoutFail", stalls.pipe(Stream.timeoutFail(() => "timeout", "200 millis"), Stream.runCollect))
  await run("Effect.timeout", Stream.runCollect(stalls).pipe(Effect.timeout("200 millis")))
  let attempts = 0
  const fails = Stream.suspend(() => ++attempts < 3 ? Stream.concat(Stream.make(1, 2), Stream.fail("cut")) : Stream.make(1, 2, 3))
  await run("Stream.retry", fails.pipe(Stream.retry(Schedule.recurs(5)), Stream.runCollect))
  attempts = 0
  await run("Effect.retry", Stream.runCollect(fails).pipe(Effect.retry(Schedule.recurs(5))))
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
effect 4.1.0, Stream.timeout: Success 1 2
effect 4.1.0, Effect.timeout: Failure
effect 4.1.0, Stream.retry: Success 1 2 1 2 1 2 3
effect 4.1.0, Effect.retry: Success 1 2 3
effect 3.22.4, Stream.timeout: Success 1 2
effect 3.22.4, Stream.timeoutFail: Failure
effect 3.22.4, Effect.timeout: Failure
effect 3.22.4, Stream.retry: Success 1 2 1 2 1 2 3
effect 3.22.4, Effect.retry: Success 1 2 3
EXPECTED
