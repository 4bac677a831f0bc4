#!/usr/bin/env bash
# Cron of Effect 4.1.0 and 3.22.4 with a time zone: when the clock goes back from 3:00 to 2:00, "*/30 * * * *" and "0 * * * *" leave out the
# second 2:00 to 3:00, so what runs each half hour or hour pauses an hour longer once a year, in Berlin on 25 October 2026 at 1:00 UTC.
# croner 11.0.1 and cron-parser 5.10.6 run in each of the hours. "30 2 * * *" runs once in all of them. Guess: a line with * runs as often as
# time passes. Cron without a zone of its own, or in UTC. Needs Node 20 or later and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund effect4@npm:effect@4.1.0 effect3@npm:effect@3.22.4 croner@11.0.1 cron-parser@5.10.6 >/dev/null

cat >program.mjs <<'PROGRAM'
import { Cron as Croner } from "croner"
import { CronExpressionParser } from "cron-parser"
import * as effect3 from "effect3"
import * as effect4 from "effect4"
const times = (start, count, next) => {
  const result = []
  for (let time = new Date(start); result.length < count; result.push(time.toISOString().slice(11, 16))) time = next(time)
  return result.join(" ")
}
const libraries = {
  "effect 4.1.0": (line, zone) => (time) => effect4.Cron.next(effect4.Cron.parseUnsafe(line, zone), time),
  "effect 3.22.4": (line, zone) => (time) => effect3.Cron.next(effect3.Cron.unsafeParse(line, zone), time),
  croner: (line, timezone) => (time) => new Croner(line, { timezone }).nextRun(time),
  "cron-parser": (line, tz) => (currentDate) => CronExpressionParser.parse(line, { tz, currentDate }).next().toDate()
}
for (const [line, zone, start, count] of [
  ["*/30 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 6],
  ["0 * * * *", "Europe/Berlin", "2026-10-24T22:30:00Z", 5],
  ["0 * * * *", "America/New_York", "2026-11-01T04:30:00Z", 4],
  ["*/30 * * * *", "UTC", "2026-10-24T23:30:00Z", 6],
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T22:00:00Z", 2]
]) {
  for (const [name, next] of Object.entries(libraries)) console.log(`${line} in ${zone} after ${start}, ${name}: ${times(start, count, next(line, zone))}`)
}
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
*/30 * * * * in Europe/Berlin after 2026-10-24T23:30:00Z, effect 4.1.0: 00:00 00:30 02:00 02:30 03:00 03:30
*/30 * * * * in Europe/Berlin after 2026-10-24T23:30:00Z, effect 3.22.4: 00:00 00:30 02:00 02:30 03:00 03:30
*/30 * * * * in Europe/Berlin after 2026-10-24T23:30:00Z, croner: 00:00 00:30 01:00 01:30 02:00 02:30
*/30 * * * * in Europe/Berlin after 2026-10-24T23:30:00Z, cron-parser: 00:00 00:30 01:00 01:30 02:00 02:30
0 * * * * in Europe/Berlin after 2026-10-24T22:30:00Z, effect 4.1.0: 23:00 00:00 02:00 03:00 04:00
0 * * * * in Europe/Berlin after 2026-10-24T22:30:00Z, effect 3.22.4: 23:00 00:00 02:00 03:00 04:00
0 * * * * in Europe/Berlin after 2026-10-24T22:30:00Z, croner: 23:00 00:00 01:00 02:00 03:00
0 * * * * in Europe/Berlin after 2026-10-24T22:30:00Z, cron-parser: 23:00 00:00 01:00 02:00 03:00
0 * * * * in America/New_York after 2026-11-01T04:30:00Z, effect 4.1.0: 05:00 07:00 08:00 09:00
0 * * * * in America/New_York after 2026-11-01T04:30:00Z, effect 3.22.4: 05:00 07:00 08:00 09:00
0 * * * * in America/New_York after 2026-11-01T04:30:00Z, croner: 05:00 06:00 07:00 08:00
0 * * * * in America/New_York after 2026-11-01T04:30:00Z, cron-parser: 05:00 06:00 07:00 08:00
*/30 * * * * in UTC after 2026-10-24T23:30:00Z, effect 4.1.0: 00:00 00:30 01:00 01:30 02:00 02:30
*/30 * * * * in UTC after 2026-10-24T23:30:00Z, effect 3.22.4: 00:00 00:30 01:00 01:30 02:00 02:30
*/30 * * * * in UTC after 2026-10-24T23:30:00Z, croner: 00:00 00:30 01:00 01:30 02:00 02:30
*/30 * * * * in UTC after 2026-10-24T23:30:00Z, cron-parser: 00:00 00:30 01:00 01:30 02:00 02:30
30 2 * * * in Europe/Berlin after 2026-10-24T22:00:00Z, effect 4.1.0: 00:30 01:30
30 2 * * * in Europe/Berlin after 2026-10-24T22:00:00Z, effect 3.22.4: 00:30 01:30
30 2 * * * in Europe/Berlin after 2026-10-24T22:00:00Z, croner: 00:30 01:30
30 2 * * * in Europe/Berlin after 2026-10-24T22:00:00Z, cron-parser: 00:30 01:30
EXPECTED
