#!/usr/bin/env bash
# Vitest 3.2.7 fails a run in which all tests pass, with `Timeout calling "onTaskUpdate"`, if the tests of one file take more than 60 s
# together without a turn of the event loop, although each takes 5 s and awaits: tests with a test clock, such as Effect's, wait for promises
# only. Vitest 4.1.12 passes. Guess: only the timeout of each test counts. What to do: let the event loop turn after each test
# (`afterEach(() => setImmediate())` of node:timers/promises), which the second run with 3.2.7 does.
# Needs Node, the npm registry and four minutes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund vitest3@npm:vitest@3.2.7 vitest4@npm:vitest@4.1.12 >/dev/null

write() {
  cat >"$1.test.mjs" <<PROGRAM
import { setImmediate } from "node:timers/promises"
import { afterEach, it } from "vitest$1"
if (${2}) afterEach(() => setImmediate())
for (let number = 1; number <= 14; number++) {
  it("test " + number, async () => {
    const end = performance.now() + 5000
    while (performance.now() < end) await Promise.resolve()
  })
}
PROGRAM
}

run() {
  write "$1" "$2"
  status=0
  node "node_modules/vitest$1/vitest.mjs" run "$1.test.mjs" --testTimeout 60000 >output 2>&1 || status=$?
  passed=$(sed 's/\x1b\[[0-9;]*m//g' output | grep -oE 'Tests +[0-9]+ passed' | grep -oE '[0-9]+')
  lost=$(grep -c 'Error: .*Timeout calling "onTaskUpdate"' output || true)
  echo "Vitest $1, turns after each test: $2: $passed passed, messages lost: $([ "$lost" = 0 ] && echo no || echo yes), exit status $status"
}

{
  run 3 false
  run 3 true
  run 4 false
} | tee results
diff results - <<'EXPECTED'
Vitest 3, turns after each test: false: 14 passed, messages lost: yes, exit status 1
Vitest 3, turns after each test: true: 14 passed, messages lost: no, exit status 0
Vitest 4, turns after each test: false: 14 passed, messages lost: no, exit status 0
EXPECTED
