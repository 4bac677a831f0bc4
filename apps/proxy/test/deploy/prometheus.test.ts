/** Alert rules: syntax, existing metrics, and thresholds that match the configuration. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { defaults } from "../../src/config/Config.ts"
import * as Configs from "./support/configs.ts"
import * as Files from "./support/files.ts"
import * as Metrics from "./support/metrics.ts"
import { promtool, promtoolSkippedSuffix, run } from "./support/program.ts"

const folder = `${Files.folder}prometheus`

const Text = Schema.NonEmptyTrimmedString

const Alert = Schema.Struct({
  alert: Text,
  expr: Text,
  for: Schema.optional(Schema.String),
  labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") }),
  annotations: Schema.Struct({ summary: Text, description: Text, runbook: Text })
})

const Record = Schema.Struct({
  record: Text,
  expr: Text,
  labels: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
})

const { groups } = Schema.decodeUnknownSync(
  Schema.Struct({ groups: Schema.Array(Schema.Struct({ rules: Schema.Array(Schema.Union(Alert, Record)) })) })
)(Files.document("prometheus/rules.yaml"))

const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule) => "alert" in rule)
const records = rules.filter((rule) => "record" in rule)

const document = Files.document("prometheus/rules.test.yaml")

const { tests } = Schema.decodeUnknownSync(
  Schema.Struct({
    tests: Schema.Array(
      Schema.Struct({ name: Text, input_series: Schema.Array(Schema.Struct({ series: Text })) })
    )
  }),
  { onExcessProperty: "preserve" }
)(document)

/** The number of a recording rule. */
const number = (record: string, client?: string): number => {
  const found = records.find((one) => one.record === record && one.labels?.["client"] === client)
  return Number(/^vector\((\d+)\)$/.exec(found?.expr ?? "")?.[1])
}

it.runIf(process.env["QUARRY_CHECK"] === "1")("a full check requires promtool", () => {
  expect(promtool).toBeDefined()
})

describe.runIf(promtool !== undefined)(`promtool${promtoolSkippedSuffix}`, () => {
  it("accepts the rules, and the Prometheus configuration of the Compose file", () => {
    expect(run(promtool, ["check", "rules", "rules.yaml"], folder)).toMatchObject({ status: 0 })
    expect(run(promtool, ["check", "config", "prometheus.yaml"], folder)).toMatchObject({ status: 0 })
  })

  it("passes the rule tests: each alert fires only when it must", () => {
    // Those of alerts that look back for hours take long
    const chosen = tests.filter((test) => isFull || !/"\d+h/.test(JSON.stringify(test)))
    const file = join(mkdtempSync(join(tmpdir(), "quarry-rules-")), "rules.test.yaml")
    onTestFinished(() => rmSync(dirname(file), { recursive: true }))
    writeFileSync(file, JSON.stringify({ ...document, rule_files: [`${folder}/rules.yaml`], tests: chosen }))
    expect(run(promtool, ["test", "rules", file], folder)).toMatchObject({ status: 0 })
  })
})

it("every alert has a test under its name, with series that do not trigger it", () => {
  for (const { alert } of alerts) {
    const series = tests.filter(({ name }) => name === alert).flatMap((test) => test.input_series)
    const has = (namespace: string) => series.some((one) => one.series.includes(`namespace="${namespace}"`))
    expect([alert, has("ill"), has("well") || alert === "QuarryProxyAbsent"]).toEqual([alert, true, true])
  }
})

it("every rule and annotation names existing metrics and alerts", () => {
  const problems = rules.flatMap((rule) =>
    Metrics.unknownReferences(rule.expr).map((problem) =>
      `${"alert" in rule ? rule.alert : rule.record}: ${problem}`
    )
  )
  expect(problems).toEqual([])
  const names = [...Metrics.allMetrics, ...rules.map((rule) => "alert" in rule ? rule.alert : rule.record)]
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  const texts = alerts.flatMap(({ annotations }) => Object.values(annotations)).join(" ")
  const named = texts.match(/\b(?:(?:quarry|process|nodejs)_[a-z_:]+|Quarry[A-Z]\w+)/g) ?? []
  expect(named.filter((name) => !names.some((known) => known.startsWith(name)))).toEqual([])
  const used = rules.flatMap(({ expr }) => expr.match(/\bquarry_proxy:\w+/g) ?? [])
  expect(used.filter((name) => !names.includes(name))).toEqual([])
})

it.effect.each(Configs.all)("thresholds match the configuration of %s", (which) =>
  Effect.gen(function*() {
    const { clients, limits, shutdown, upstream } = (yield* Configs.load(which)).config
    const perDay = upstream.keys.reduce((sum, key) => sum + (key.dailyQuota ?? Number.NaN), 0)
    expect(number("quarry_proxy:plan_units_per_day")).toBe(perDay)
    expect(number("quarry_proxy:max_concurrent_requests")).toBe(limits.maxConcurrentRequests)
    expect(number("quarry_proxy:max_connections")).toBe(limits.maxConnections)
    expect(limits.maxConnections).toBe(defaults.limits.maxConnections)
    for (const { name, dailyQuota } of clients) {
      expect([name, number("quarry_proxy:client_units_per_day", name)]).toEqual([name, dailyQuota])
    }
    const stuck = alerts.find(({ alert }) => alert === "QuarryProxyShutdownStuck")?.for ?? "0m"
    expect(Number.parseInt(stuck, 10) * 60_000)
      .toBeGreaterThanOrEqual(Duration.toMillis(shutdown.delay) + Duration.toMillis(shutdown.timeout))
  }))
