#!/usr/bin/env bash
# Stream.throttle of Effect 4.1.0 and 3.22.4 decides on whole chunks: with 4 units in 4 seconds, a chunk of 6 elements that costs 6 is
# dropped as a whole by strategy "enforce", also the 4 that are within the limit, and let through as a whole by "shape" after 2 seconds: 6
# requests at once. Records of a page or a file come in such chunks. Stream.rechunk(1) before it limits elements: 4 at once, then one each
# second. Guess: 4 elements at once, then one each second, or dropped. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 >/dev/null

cat >program.mjs <<'PROGRAM'
import * as effect3 from "effect3"
import * as effect4 from "effect4"
for (const [name, { Effect, Stream }] of Object.entries({ "effect 4.1.0": effect4, "effect 3.22.4": effect3 })) {
  // Of chunks that are arrays in Effect 4
  const cost = (chunk) => chunk.length
  for (const strategy of ["enforce", "shape"]) {
    for (const size of [6, 1]) {
      const start = performance.now()
      const throttled = Stream.range(1, 6).pipe(
        Stream.rechunk(size),
        Stream.throttle({ cost, units: 4, duration: "4 seconds", strategy }),
        Stream.map(() => performance.now() - start),
        Stream.runCollect
      )
      const times = [...await Effect.runPromise(throttled)]
      const within = (from, to) => times.filter((time) => time >= from && time < to).length
      // Far from the moments at which elements are due
      console.log(`${name}, ${strategy}, chunks of ${size}: ${within(0, 600)} at once, ${within(600, 1600)} after 1 s, ${within(1600, Infinity)} after 2 s`)
    }
  }
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
effect 4.1.0, enforce, chunks of 6: 0 at once, 0 after 1 s, 0 after 2 s
effect 4.1.0, enforce, chunks of 1: 4 at once, 0 after 1 s, 0 after 2 s
effect 4.1.0, shape, chunks of 6: 0 at once, 0 after 1 s, 6 after 2 s
effect 4.1.0, shape, chunks of 1: 4 at once, 1 after 1 s, 1 after 2 s
effect 3.22.4, enforce, chunks of 6: 0 at once, 0 after 1 s, 0 after 2 s
effect 3.22.4, enforce, chunks of 1: 4 at once, 0 after 1 s, 0 after 2 s
effect 3.22.4, shape, chunks of 6: 0 at once, 0 after 1 s, 6 after 2 s
effect 3.22.4, shape, chunks of 1: 4 at once, 1 after 1 s, 1 after 2 s
EXPECTED
