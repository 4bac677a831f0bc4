/** Manifests of published packages, and the commands that install them. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { completed, installCommand } from "../manifests.mjs"
import { publishedPackages, root } from "../release/workspace.mjs"

const packages = publishedPackages(root).map(({ folder, manifest }) => ({
  folder,
  manifest,
  name: String(manifest.name)
}))

describe.each(packages)("the manifest of $name", ({ folder, manifest }) => {
  it("agrees with the root manifest", () => {
    expect(manifest).toEqual(completed(folder, manifest))
  })

  it("describes the package to npm", () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/.{20}/),
      type: "module",
      sideEffects: false,
      publishConfig: { access: "public" }
    })
    expect(manifest.keywords.length).toBeGreaterThan(4)
    expect(readFileSync(join(folder, "README.md"), "utf8")).toMatch(new RegExp(`^# ${manifest.name}\n`))
  })

  it("has a README with links to files that exist", () => {
    const links = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .map(([, link = ""]) => link)
    expect(links).not.toEqual([])
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([])
  })
})

// All manifests have the script of the first
it.each(packages.slice(0, 1))("$name refuses to be published from its folder", ({ folder }) => {
  const { status, stderr } = spawnSync("npm", ["run", "--silent", "prepublishOnly"], {
    cwd: folder,
    encoding: "utf8"
  })
  expect(stderr).toContain("error: a release publishes archives that were checked, see docs/releases.md")
  expect(status).toBe(1)
})

/** The documents that name packages of Effect: of the root, of packages and of the documentation. */
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md")
  )
    .map((file) => join("docs", file)),
  ...packages.map(({ folder }) => relative(root, join(folder, "README.md")))
].filter((file) => existsSync(join(root, file)))

const commands = documents.flatMap((file) =>
  [
    ...readFileSync(join(root, file), "utf8").matchAll(
      /^ *(?:\$ )?((?:npm|pnpm|yarn|bun) (?:install|i|add) .*)$/gm
    )
  ]
    .map(([, command = ""]) => ({ file, command }))
    .filter(({ command }) =>
      / (?:@blockquarry\/(?:core|http|redis|sandbox)|effect|@effect\/[\w-]+)\b/.test(command)
    )
)

describe("install commands", () => {
  it("name the line of each peer", () => {
    expect(installCommand("@blockquarry/core")).toMatch(/^npm install @blockquarry\/core effect@\d+$/)
    expect(installCommand("@blockquarry/http")).toMatch(
      /^npm install @blockquarry\/http @effect\/platform@0\.\d+ @effect\/platform-node@0\.\d+ effect@\d+$/
    )
    expect(() => installCommand("@blockquarry/bench")).toThrow("is not published")
  })

  it.each(commands)("in $file install versions that work together: $command", ({ command }) => {
    const published = command.replace(
      /\$archives\/\{([\w,]+)\}\.tgz/,
      (_, folders: string) => folders.split(",").map((folder) => `@blockquarry/${folder}`).join(" ")
    )
    const names = packages.map(({ name }) => name).filter((name) => published.split(" ").includes(name))
    expect(published).toBe(installCommand(...names))
  })

  it("are in the documents", () => {
    expect(commands.length).toBeGreaterThan(4)
  })
})
