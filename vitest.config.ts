import { defineConfig } from "vitest/config"
import { buildTimeValue } from "./scripts/buildTimeValue.mjs"
import { inlineScript } from "./scripts/inlineScript.mjs"

const packages = {
  core: "packages/core",
  http: "packages/http",
  sandbox: "packages/sandbox",
  redis: "packages/redis",
  client: "packages/client",
  bench: "packages/bench",
  cli: "apps/cli",
  proxy: "apps/proxy",
  backend: "examples/backend",
  "example-export": "examples/export",
  "example-gateway": "examples/gateway",
  "example-hono": "examples/hono",
  "example-testing": "examples/testing",
  scripts: "scripts",
  site: "site"
}

// Tests run the sources of the workspace, not its build output
const conditions = ["@blockquarry/source", "node"]

export default defineConfig({
  plugins: [inlineScript(), buildTimeValue()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    minWorkers: 1,
    maxWorkers: 2,
    maxConcurrency: 2,
    projects: Object.entries(packages).map(([name, root]) => ({
      extends: true,
      test: {
        name,
        root,
        include: ["test/**/*.test.ts"]
      }
    }))
  }
})
