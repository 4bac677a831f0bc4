import { fileURLToPath } from "node:url"
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config"
import { buildTimeValue } from "./scripts/buildTimeValue.mjs"
import { inlineScript } from "./scripts/inlineScript.mjs"

const packages = {
  core: "packages/core",
  http: "packages/http",
  sandbox: "packages/sandbox",
  redis: "packages/redis",
  client: "packages/client",
  server: "packages/server",
  "command-line": "packages/command-line",
  bench: "packages/bench",
  cli: "apps/cli",
  proxy: "apps/proxy",
  examples: "examples",
  scripts: "scripts",
  site: "site"
}

/** Their modules take longer to load than their tests, so that one worker runs all. */
const small = [
  "core",
  "sandbox",
  "client",
  "server",
  "command-line",
  "redis",
  "bench",
  "examples",
  "scripts",
  "site"
]

/** Tests of what a whole process has once, such as metrics. */
const processes = "**/*.process.test.ts"

/** Tests with clients in other languages, which are the part `clients` of `.ci/full`. */
const clients = "**/test/clients/*.test.ts"
const withClients = process.env["QUARRY_CLIENTS"] === "1"

const timeout = process.env["QUARRY_FULL"] === "1" ? 600_000 : 120_000

// Tests run the sources of the workspace, not its build output
const conditions = ["@blockquarry/source", "node"]

export default defineConfig({
  plugins: [inlineScript(), buildTimeValue()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Only ends a test that hangs
    testTimeout: timeout,
    hookTimeout: timeout,
    setupFiles: [fileURLToPath(new URL("vitest.setup.ts", import.meta.url))],
    pool: "forks",
    // Files share the module graph of a worker, because loading it takes longer than most of their tests
    poolOptions: { forks: { isolate: false } },
    minWorkers: 1,
    maxWorkers: 2,
    maxConcurrency: 2,
    projects: [
      ...Object.entries(packages).map(([name, root]): TestProjectInlineConfiguration => ({
        extends: true,
        test: {
          name,
          root,
          include: [name === "examples" ? "*/test/*.test.ts" : "test/**/*.test.ts"],
          exclude: [processes, clients],
          poolOptions: { forks: { singleFork: small.includes(name) } }
        }
      })),
      // The threads of this pool run one file each
      { extends: true, test: { name: "process", include: [processes], pool: "threads" } },
      ...(withClients ? [{ extends: true as const, test: { name: "clients", include: [clients] } }] : [])
    ]
  }
})
