/** The pages of the site, in reading order. The titles are those of the pages. */
import { allOperations } from "@blockquarry/core/Operations"

export interface Group {
  readonly text: string
  readonly pages: ReadonlyArray<string>
}

export const groups: ReadonlyArray<Group> = [
  {
    text: "Getting started",
    pages: [
      "getting-started.md",
      "start/effect.md",
      "start/promises.md",
      "start/terminal.md",
      "start/container.md",
      "recipes.md",
      "migration.md"
    ]
  },
  {
    text: "Concepts",
    pages: [
      "client.md",
      "pagination.md",
      "errors.md",
      "amounts.md",
      "interface.md",
      "policies.md",
      "own-operations.md",
      "any-endpoint.md",
      "testing.md",
      "redis.md",
      "performance.md"
    ]
  },
  {
    text: "Operations",
    pages: ["operations/index.md", ...allOperations.map(({ id }) => `operations/${id}.md`)]
  },
  {
    text: "Command line",
    pages: [
      "cli.md",
      "cli/output.md",
      "cli/export.md",
      "cli/inputs-and-watch.md",
      "cli/charts.md",
      "cli/configuration.md",
      "cli/api.md",
      "cli/diagnostics.md",
      "cli/shell.md"
    ]
  },
  {
    text: "quarry-proxy",
    pages: [
      "proxy/index.md",
      "proxy/configuration.md",
      "proxy/clients.md",
      "proxy/passthrough.md",
      "proxy/isolation.md",
      "proxy/responses.md",
      "proxy/errors.md",
      "proxy/operation.md",
      "proxy/deployment.md"
    ]
  },
  {
    text: "Examples",
    pages: [
      "examples/index.md",
      "examples/backend.md",
      "examples/hono.md",
      "examples/export.md",
      "examples/gateway.md",
      "examples/testing.md",
      "examples/compose.md"
    ]
  },
  {
    text: "Project",
    pages: [
      "releases.md",
      "changelog.md",
      "security.md",
      "architecture.md",
      "contributing.md"
    ]
  },
  {
    text: "Decisions",
    pages: [
      "decisions/values.md",
      "decisions/requests.md",
      "decisions/limits.md",
      "decisions/proxy.md",
      "decisions/command-line.md",
      "decisions/project.md"
    ]
  }
]

/** The reference from doc comments has its own sidebar. */
export const apiFolder = "api"

/** The entries at the top, each with a pattern of the pages below it. The guide has all pages without an entry of their own. */
export const navigation: ReadonlyArray<
  { readonly text: string; readonly link: string; readonly activeMatch: string }
> = [
  {
    text: "Guide",
    link: "/getting-started",
    activeMatch: `^/(?!(?:operations|cli|proxy|${apiFolder})(?:[/.]|$)|(?:index)?$)`
  },
  { text: "Operations", link: "/operations/", activeMatch: "^/operations/" },
  { text: "Command line", link: "/cli", activeMatch: "^/cli(?:[/.]|$)" },
  { text: "Proxy", link: "/proxy/", activeMatch: "^/proxy/" },
  { text: "API", link: `/${apiFolder}/`, activeMatch: `^/${apiFolder}/` }
]
