#!/usr/bin/env bash
# Node 20.20.2: toLocaleString("en-US", { hour12: false }), with which programs convert an instant to a time zone, calls midnight 24:00 of
# the day that begins. Date, dayjs 1.11.23 and moment 2.30.1 (in strict mode) read that as 24:00 of the same day: a day later, without an
# error. The rest of this hour, such as 24:05, is an invalid date for all three. Node 22.23.3, 24.21.0 and
# 26.10.0 print 00:00, and { hourCycle: "h23" } does so on each. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund dayjs@1.11.23 moment@2.30.1 \
  node20@npm:node@20.20.2 node22@npm:node@22.23.3 node24@npm:node@24.21.0 node26@npm:node@26.10.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import dayjs from "dayjs"
import moment from "moment"
const day = (date) => Number.isNaN(date.getTime()) ? "invalid" : date.toISOString().slice(0, 16)
for (const instant of ["2024-05-31T04:00:00Z", "2024-05-31T04:05:00Z"]) {
  for (const option of [{ hour12: false }, { hourCycle: "h23" }]) {
    const text = new Date(instant).toLocaleString("en-US", { timeZone: "America/New_York", ...option })
    const read = [new Date(text), dayjs(text).toDate(), moment(text, "M/D/YYYY, HH:mm:ss", true).toDate()]
    console.log(`${process.version} ${Object.keys(option)}: ${text} is ${read.map(day).join(" ")}`)
  }
}
PROGRAM

for version in 20 22 24 26; do TZ=UTC "node_modules/node$version/bin/node" program.mjs; done | tee output
diff output - <<'EXPECTED'
v20.20.2 hour12: 5/31/2024, 24:00:00 is 2024-06-01T00:00 2024-06-01T00:00 2024-06-01T00:00
v20.20.2 hourCycle: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v20.20.2 hour12: 5/31/2024, 24:05:00 is invalid invalid invalid
v20.20.2 hourCycle: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
v22.23.3 hour12: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v22.23.3 hourCycle: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v22.23.3 hour12: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
v22.23.3 hourCycle: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
v24.21.0 hour12: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v24.21.0 hourCycle: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v24.21.0 hour12: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
v24.21.0 hourCycle: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
v26.10.0 hour12: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v26.10.0 hourCycle: 5/31/2024, 00:00:00 is 2024-05-31T00:00 2024-05-31T00:00 2024-05-31T00:00
v26.10.0 hour12: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
v26.10.0 hourCycle: 5/31/2024, 00:05:00 is 2024-05-31T00:05 2024-05-31T00:05 2024-05-31T00:05
EXPECTED
