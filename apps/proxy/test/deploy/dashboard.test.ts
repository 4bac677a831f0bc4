/** The Grafana dashboard: queries of existing metrics, complete, in panels that Grafana can show. */
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Files from "./support/files.ts"
import * as Metrics from "./support/metrics.ts"
import { promtool, promtoolSkippedSuffix, run } from "./support/program.ts"

/** The data source that the user selects. */
const datasource = Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("${datasource}") })

const Dashboard = Schema.Struct({
  annotations: Schema.Struct({
    list: Schema.Array(Schema.Struct({ name: Schema.String, datasource, expr: Schema.String }))
  }),
  templating: Schema.Struct({
    list: Schema.Array(Schema.Struct({
      name: Schema.String,
      query: Schema.Union(Schema.Literal("prometheus"), Schema.Struct({ query: Schema.String }))
    }))
  }),
  panels: Schema.Array(Schema.Struct({
    title: Schema.String,
    targets: Schema.optionalWith(
      Schema.Array(Schema.Struct({ datasource, expr: Schema.String })),
      { default: () => [] }
    )
  }))
})

const { annotations, panels, templating: { list: variables } } = Schema.decodeUnknownSync(
  Schema.parseJson(Dashboard)
)(Files.text("grafana/quarry-proxy.json"))

const queries = panels.flatMap(({ targets, title }) => targets.map(({ expr }) => ({ title, expr })))

const expressions = [
  ...queries,
  ...annotations.list.map(({ expr, name }) => ({ title: name, expr })),
  ...variables.flatMap(({ name, query }) =>
    query === "prometheus"
      ? []
      : [{ title: name, expr: query.query.replace(/^label_values\((.*), (\w+)\)$/, "sum by ($2) ($1)") }]
  )
]

it("queries existing metrics, labels and codes", () => {
  const problems = expressions.flatMap(({ expr, title }) =>
    Metrics.unknownReferences(expr).map((problem) => `${title}: ${problem}`)
  )
  expect(problems).toEqual([])
})

it("queries every metric of the proxy", () => {
  const queried = expressions.flatMap(({ expr }) => Metrics.metricsIn(expr))
  const missing = Metrics.allMetrics.filter((name) =>
    name.startsWith("quarry_") && !/_(sum|count)$/.test(name) &&
    !queried.some((one) => one === name || one === name.replace(/_bucket$/, "_sum"))
  )
  expect(missing, "metrics that no panel of deploy/grafana/quarry-proxy.json shows").toEqual([])
})

it.runIf(promtool !== undefined)(`promtool accepts every expression${promtoolSkippedSuffix}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-dashboard-"))
  // As Grafana sends them
  const rules = expressions.map(({ expr }, index) => ({
    record: `dashboard:${index}`,
    expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/"\$\w+"/g, `".*"`)
  }))
  writeFileSync(join(folder, "rules.yaml"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }))
  const ended = run(promtool, ["check", "rules", "rules.yaml"], folder)
  rmSync(folder, { recursive: true })
  expect(ended).toEqual({ status: 0, output: expect.stringContaining(`${rules.length} rules found`) })
})
