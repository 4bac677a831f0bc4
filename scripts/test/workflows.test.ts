/** The workflows of GitHub: valid, pinned, and with few permissions. */
import type * as WorkflowParser from "@actions/workflow-parser"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = new URL("../../", import.meta.url)

const temporary = mkdtempSync(join(tmpdir(), "quarry-workflows-"))

afterAll(() => rmSync(temporary, { recursive: true }))

let parser: typeof WorkflowParser

/** GitHub's parser imports JSON as bundlers allow it, and Node.js does not. */
beforeAll(async () => {
  const file = join(temporary, "parser.mjs")
  const bundle = await rolldown({
    input: "@actions/workflow-parser",
    cwd: fileURLToPath(root),
    platform: "node"
  })
  await bundle.write({ file })
  await bundle.close()
  parser = await import(pathToFileURL(file).href)
})

const workflows = readdirSync(new URL(".github/workflows/", root)).map((file) => ({
  file,
  text: readFileSync(new URL(`.github/workflows/${file}`, root), "utf8")
}))

/** What GitHub would reject. */
const errorsOf = async (name: string, content: string): Promise<ReadonlyArray<string>> => {
  const { context, value } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
  const template = value === undefined ? undefined : await parser.convertWorkflowTemplate(context, value)
  return [
    ...context.errors.getErrors().map(({ message }) => message),
    ...(template?.errors ?? []).map(({ Message }) => Message)
  ]
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly "timeout-minutes"?: number
  readonly uses?: string
  readonly steps?: ReadonlyArray<{
    readonly uses?: string
    readonly run?: string
    readonly with?: Readonly<Record<string, unknown>>
  }>
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: object
  readonly jobs: Readonly<Record<string, Job>>
}

const documentOf = (text: string): Workflow => parse(text)

it("finds mistakes in a workflow", async () => {
  const broken =
    "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - rum: echo ${{ nope.a }}\n"
  expect((await errorsOf("broken.yml", broken)).join("\n")).toContain("rum")
})

describe.each(workflows)("$file", ({ file, text }) => {
  const document = documentOf(text)
  const jobs = Object.entries(document.jobs)
  const steps = jobs.flatMap(([, job]) => job.steps ?? [])

  it("is what GitHub accepts", async () => {
    expect(await errorsOf(file, text)).toEqual([])
  })

  it("pins every action by commit, with its version in a comment", () => {
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = ""]) => action)
    expect(uses.length).toBeGreaterThan(0)
    for (const action of uses) {
      expect(action).toMatch(/^\.\/|^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
    const versions = new Map(
      workflows.flatMap(({ text }) =>
        [...text.matchAll(/uses: ([\w./-]+)@(\S+)/g)].map(([, name = "", commit = ""]) =>
          [name, commit] as const
        )
      )
    )
    for (const [, name = "", commit] of text.matchAll(/uses: ([\w-][\w./-]+)@(\S+)/g)) {
      expect([name, commit]).toEqual([name, versions.get(name)])
    }
  })

  it("grants nothing by default, and bounds the time of each job", () => {
    expect(document.permissions).toEqual({})
    for (const [name, job] of jobs) {
      expect([name, Object.keys(job)]).toEqual([name, expect.arrayContaining(["permissions"])])
      if (job.uses === undefined) expect([name, job["timeout-minutes"]]).toEqual([name, expect.any(Number)])
    }
  })

  it("runs no text of a pull request, and leaves no token in the work tree", () => {
    expect(Object.keys(document.on)).not.toContain("pull_request_target")
    for (const { run } of steps) expect(run ?? "").not.toContain("${{")
    for (const { uses = "", with: inputs } of steps) {
      if (uses.startsWith("actions/checkout@")) expect(inputs).toMatchObject({ "persist-credentials": false })
    }
  })

  it("starts scripts that exist", () => {
    const scripts = steps.flatMap(({ run = "" }) => run.match(/(?<=^|\s)(?:\.ci|scripts)\/[\w./]+/g) ?? [])
    expect(scripts.filter((script) => !existsSync(new URL(script, root)))).toEqual([])
  })
})

it("gives each job of a release only what it needs, and an identity for npm to one job", () => {
  const rights = Object.fromEntries(
    workflows.flatMap(({ file, text }) =>
      Object.entries(documentOf(text).jobs).map(([job, { permissions = {} }]) => [
        `${file} ${job}`,
        Object.entries(permissions).filter(([, right]) => right === "write").map(([scope]) => scope)
      ])
    )
  )
  expect(Object.fromEntries(Object.entries(rights).filter(([, scopes]) => scopes.length > 0))).toEqual({
    "release.yml version": ["contents", "pull-requests"],
    "release.yml npm": ["id-token", "attestations"],
    "release.yml image": ["packages"],
    "release.yml github": ["contents"]
  })
})

it("Dependabot updates the actions, and the images of every Dockerfile and compose file", () => {
  interface Update {
    readonly "package-ecosystem": string
    readonly directory?: string
    readonly directories?: ReadonlyArray<string>
  }
  const { updates }: { readonly updates: ReadonlyArray<Update> } = parse(
    readFileSync(new URL(".github/dependabot.yml", root), "utf8")
  )
  const foldersOf = (ecosystem: string) =>
    updates.filter((update) => update["package-ecosystem"] === ecosystem)
      .flatMap(({ directories = [], directory = [] }) => [...directories, directory].flat()).toSorted()
  const tracked = execFileSync("git", ["ls-files"], { cwd: fileURLToPath(root), encoding: "utf8" }).split(
    "\n"
  )
  const foldersWith = (name: string) =>
    tracked.filter((file) => file.endsWith(`/${name}`)).map((file) => `/${file.slice(0, -name.length - 1)}`)
      .toSorted()
  expect(foldersOf("github-actions")).toEqual(["/"])
  expect(foldersOf("docker")).toEqual(foldersWith("Dockerfile"))
  expect(foldersOf("docker-compose")).toEqual(foldersWith("compose.yaml"))
})
