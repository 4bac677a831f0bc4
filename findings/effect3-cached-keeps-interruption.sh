#!/usr/bin/env bash
# Effect.cached of Effect 3.22.4: if the first caller is interrupted while the effect runs (by a timeout, a race, a client that goes away),
# its interruption is what is cached: each later caller is interrupted at once, until the process ends, with Effect.retry too, since that
# repeats failures only; so are callers that wait meanwhile. cachedWithTTL and a Cache run the effect again for later callers, but those that
# wait for a Cache are interrupted as well. In Effect 4.1.0 all others get the value. Guess: a caller that gives up does not decide for the
# others. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as effect3 from "effect3"
import * as effect4 from "effect4"
const hour = "1 hour"
for (const [name, { Cache, Effect }] of Object.entries({ "effect 3.22.4": effect3, "effect 4.1.0": effect4 })) {
  const interrupted3 = (exit) => exit.cause && effect3.Cause.isCause(exit.cause) && effect3.Cause.isInterrupted(exit.cause)
  const interrupted4 = (exit) => exit.cause?.reasons?.some(({ _tag }) => _tag === "Interrupt")
  const show = (exit) => exit._tag === "Success" ? exit.value : interrupted3(exit) || interrupted4(exit) ? "interrupted" : "failed"
  const makers = {
    cached: (effect) => Effect.cached(effect),
    cachedWithTTL: (effect) => Effect.cachedWithTTL(effect, hour),
    Cache: (effect) => Effect.map(Cache.make({ capacity: 1, timeToLive: hour, lookup: () => effect }), (cache) => Cache.get?.(cache, "key") ?? cache.get("key"))
  }
  for (const [kind, make] of Object.entries(makers)) {
    let runs = 0
    const program = Effect.gen(function* () {
      const read = yield* make(Effect.suspend(() => Effect.delay(Effect.succeed(`value of run ${++runs}`), "500 millis")))
      const first = Effect.timeout(read, "100 millis")
      const waiting = Effect.delay(read, "20 millis")
      const [a, b] = yield* Effect.all([Effect.exit(first), Effect.exit(waiting)], { concurrency: 2 })
      const later = yield* Effect.exit(Effect.retry(read, { times: 3 }))
      return `first ${show(a)}, waiting ${show(b)}, later ${show(later)}`
    })
    console.log(`${name}, ${kind}: ${await Effect.runPromise(program)}`)
  }
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
effect 3.22.4, cached: first failed, waiting interrupted, later interrupted
effect 3.22.4, cachedWithTTL: first failed, waiting value of run 2, later value of run 2
effect 3.22.4, Cache: first failed, waiting interrupted, later value of run 2
effect 4.1.0, cached: first failed, waiting value of run 1, later value of run 1
effect 4.1.0, cachedWithTTL: first failed, waiting value of run 1, later value of run 1
effect 4.1.0, Cache: first failed, waiting value of run 1, later value of run 1
EXPECTED
