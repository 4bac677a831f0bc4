/** The parts of a release: what is published, under which tag, and what the files say. */
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { bundledPackages } from "../bundledPackages.mjs"
import { changelogSection, sectionOf, withSection } from "../release/changelog.mjs"
import { contractDiff, partOf, parts } from "../release/contract.mjs"
import { distTag } from "../release/distTag.mjs"
import { formula } from "../release/formula.mjs"
import { sbom } from "../release/sbom.mjs"
import { problems } from "../release/tarballs.mjs"
import { lastRelease, publishedPackages, releaseVersion, root } from "../release/workspace.mjs"

let temporary = ""
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "quarry-release-"))
})
afterEach(() => rmSync(temporary, { recursive: true }))

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd: temporary,
    encoding: "utf8"
  })

describe("the tag on npm", () => {
  it.each([
    ["0.1.0", undefined, "latest"],
    ["0.2.0", "0.1.9", "latest"],
    ["0.10.0", "0.9.0", "latest"],
    ["0.2.0", "0.2.0", "latest"],
    ["1.0.0-next.3", "0.9.0", "next"],
    ["0.1.7", "0.2.0", "v0.1"],
    ["1.4.9", "2.0.0", "v1.4"]
  ])("of %s after %s is %s", (version, latest, tag) => {
    expect(distTag(version, latest)).toBe(tag)
  })

  it.each(["0.0.0", "0.0.0-20260101"])("does not exist for %s", (version) => {
    expect(() => distTag(version, undefined)).toThrow("not a version to publish")
  })
})

/** What the manifest of every package has. */
const completeManifest = {
  name: "@blockquarry/core",
  version: "0.1.0",
  description: "a",
  keywords: ["a"],
  license: "MIT",
  author: "a",
  repository: {},
  homepage: "a",
  bugs: {},
  engines: {},
  publishConfig: {}
}

describe("the content of an archive", () => {
  const manifest = { ...completeManifest, dependencies: { a: "^1.0.0" } }
  const application = { ...manifest, bin: { a: "dist/a.js" }, dependencies: {} }
  const files = [
    "LICENSE",
    "README.md",
    "dist/a.d.ts",
    "dist/a.js",
    "dist/a.d.ts.map",
    "package.json",
    "src/a.ts"
  ]

  it("is accepted if it has what a package needs", () => {
    expect(problems(files, manifest)).toEqual([])
    expect(problems([...files, "THIRD-PARTY-LICENSES"], application)).toEqual([])
  })

  it("is rejected with other files", () => {
    const others = [
      "test/a.test.ts",
      "dist/a.js.map",
      "dist/a.tsbuildinfo",
      "src/a.test.ts",
      "scripts/a.mjs",
      ".env"
    ]
    expect(problems([...files, ...others, "src/golden/a.ts"], manifest))
      .toEqual([...others, "src/golden/a.ts"].map((file) => `${file} does not belong in a package`))
  })

  it("is rejected without a license, with ranges of the workspace, and with the version of the repository", () => {
    const broken = {
      ...manifest,
      version: "0.0.0",
      repository: undefined,
      peerDependencies: { effect: "catalog:peers" },
      scripts: { postinstall: "node build.js" },
      devDependencies: { a: "1.0.0" }
    }
    expect(problems(files.slice(1), broken)).toEqual([
      "LICENSE is missing",
      "package.json has no repository",
      "0.0.0 is not a version to publish",
      "the range catalog:peers of effect means nothing outside this workspace",
      "package.json has scripts",
      "package.json has devDependencies"
    ])
    expect(problems(files, { ...application, dependencies: { a: "^1.0.0" } }))
      .toEqual(["THIRD-PARTY-LICENSES is missing", "a is not bundled"])
    expect(problems(files, completeManifest)).toEqual(["THIRD-PARTY-LICENSES is missing"])
  })
})

describe("publishing", () => {
  /** An archive, and a checksum of it. */
  const archive = (
    name: string,
    dependencies: Readonly<Record<string, string>>,
    texts: ReadonlyArray<string> = ["LICENSE", "README.md", "THIRD-PARTY-LICENSES"]
  ): string => {
    const file = `${name.replace("@", "").replace("/", "-")}-0.1.0.tgz`
    const folder = join(temporary, "package")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...completeManifest, name, dependencies }))
    for (const text of texts) writeFileSync(join(folder, text), "")
    const files = ["package.json", ...texts].map((name) => `package/${name}`)
    execFileSync("tar", ["-czf", file, ...files], { cwd: temporary })
    return `${createHash("sha256").update(readFileSync(join(temporary, file))).digest("hex")}  ${file}\n`
  }

  /** What the registry has of a package: its latest version, and 0.1.0 if there is an archive. */
  interface Published {
    readonly latest: string
    readonly archive?: Uint8Array
  }

  const startRegistry = async (published: Readonly<Record<string, Published>>): Promise<Server> => {
    const server = createServer(({ headers, url = "" }, response) => {
      const name = decodeURIComponent(url.replace(/^\/(repository\/npm\/)?/, "")).replace(/\.tgz$/, "")
      const { archive, latest } = published[name] ?? {}
      const dist = { tarball: `http://${headers.host}${url}.tgz` }
      if (latest === undefined) response.writeHead("unavailable" in published ? 503 : 404).end()
      else if (url.endsWith(".tgz")) response.end(archive)
      else {
        response.end(JSON.stringify({
          "dist-tags": { latest },
          versions: archive === undefined ? {} : { "0.1.0": { dist } }
        }))
      }
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return server
  }

  /** Runs the script with a registry and a program `npm`, and returns what it told npm to publish. */
  const publish = async (
    published: Readonly<Record<string, Published>>,
    options: ReadonlyArray<string> = [],
    path = "/"
  ) => {
    const npm = join(temporary, "npm")
    writeFileSync(
      npm,
      `#!/bin/sh\nif [ "$1" = config ]; then echo "$npm_config_registry"; else echo "$@" >> "$0.log"; fi\n`
    )
    chmodSync(npm, 0o755)
    writeFileSync(`${npm}.log`, "")
    const registry = await startRegistry(published)
    const url = `http://127.0.0.1:${Object(registry.address()).port}${path}`
    const script = join(root, "scripts/release/publish.mjs")
    const env = { ...process.env, PATH: `${temporary}:${process.env["PATH"]}`, npm_config_registry: url }
    const error = await promisify(execFile)(process.execPath, [script, temporary, ...options], { env }).then(
      () => "",
      ({ stderr }: { readonly stderr: string }) => stderr
    )
    registry.close()
    return {
      error,
      log: readFileSync(`${npm}.log`, "utf8").replaceAll(`${temporary}/`, "").replaceAll(
        ` --registry ${url.replace(/\/?$/, "/")}`,
        ""
      )
        .trim().split("\n")
    }
  }

  const writeSums = () =>
    writeFileSync(
      join(temporary, "SHA256SUMS"),
      archive("@blockquarry/cli", {}) + archive("@blockquarry/http", { "@blockquarry/core": "^0.1.0" })
        + archive("@blockquarry/core", {})
    )

  it("publishes a package after those that it depends on", async () => {
    writeSums()
    expect(await publish({}, ["--provenance"])).toEqual({
      error: "",
      log: [
        "publish blockquarry-cli-0.1.0.tgz --access public --tag latest --provenance",
        "publish blockquarry-core-0.1.0.tgz --access public --tag latest --provenance",
        "publish blockquarry-http-0.1.0.tgz --access public --tag latest --provenance"
      ]
    })
  })

  /** An archive with the same content, as another machine may compress it. */
  const recompressed = (file: string): Uint8Array =>
    gzipSync(gunzipSync(readFileSync(join(temporary, file))), { level: 1 })

  it.each(["/", "/repository/npm"])(
    "skips what is published at %s, and does not make an older version `latest`",
    async (path) => {
      writeSums()
      const core = { latest: "0.2.0", archive: recompressed("blockquarry-core-0.1.0.tgz") }
      const published = { "@blockquarry/core": core, "@blockquarry/cli": { latest: "0.2.0" } }
      expect(await publish(published, [], path)).toEqual({
        error: "",
        log: [
          "publish blockquarry-cli-0.1.0.tgz --access public --tag v0.1",
          "publish blockquarry-http-0.1.0.tgz --access public --tag latest"
        ]
      })
    }
  )

  it.each<readonly [string, () => Parameters<typeof publish>[0], RegExp]>([
    [
      "npm has the version with other content",
      () => ({
        "@blockquarry/http": { latest: "0.1.0", archive: recompressed("blockquarry-core-0.1.0.tgz") }
      }),
      /npm has other content as @blockquarry\/http 0\.1\.0: release another version/
    ],
    [
      "an archive differs from its checksum",
      () => {
        archive("@blockquarry/core", { changed: "^1.0.0" })
        return {}
      },
      /blockquarry-core-0\.1\.0\.tgz differs from SHA256SUMS/
    ],
    [
      "an archive lacks what it needs",
      () => {
        writeFileSync(
          join(temporary, "SHA256SUMS"),
          archive("@blockquarry/cli", {}, ["LICENSE", "README.md"])
        )
        return {}
      },
      /THIRD-PARTY-LICENSES is missing/
    ],
    [
      "npm does not say what it has",
      () => ({ unavailable: { latest: "0.1.0" } }),
      /@blockquarry%2f\w+: status 503/
    ]
  ])("publishes nothing if %s", async (_, prepare, reason) => {
    writeSums()
    expect(await publish(prepare())).toEqual({ error: expect.stringMatching(reason), log: [""] })
  })
})

describe("the changelog", () => {
  const plan = {
    changesets: [
      {
        summary: "Fix a\nand b.\n\n- first\n- second\n  line\n1. third\n\n```ts\na()\nb()\n```\nAfter\nit",
        releases: [{ name: "@blockquarry/http", type: "patch" }]
      },
      {
        summary: "Add c",
        releases: [{ name: "@blockquarry/core", type: "minor" }, { name: "@blockquarry/cli", type: "patch" }]
      }
    ]
  }

  it("has a section for each version, newest first, whose paragraphs are lines", () => {
    const first = withSection("# Changelog\n\nIntroduction.\n", "## 0.1.0 (2026-01-01)\n\nFirst.")
    const both = withSection(first, changelogSection("0.2.0", "2026-02-02", plan))
    expect(both).toBe(`# Changelog

Introduction.

## 0.2.0 (2026-02-02)

### New and changed

- **cli, core**: Add c

### Fixed

- **http**: Fix a and b.

  - first
  - second
    line
  1. third

  \`\`\`ts
  a()
  b()
  \`\`\`
  After it

## 0.1.0 (2026-01-01)

First.
`)
    expect(sectionOf(both, "0.1.0")).toBe("First.")
    expect(sectionOf(both, "0.2.0")).toContain("Add c")
    expect(sectionOf(both, "0.3.0")).toBeUndefined()
  })
})

it.each([
  ["Rename\n`it`", "Rename `it`"],
  ["Rename\n-o it", "Rename -o it"],
  ["Rename\n1.5 times", "Rename 1.5 times"],
  ["Rename\n* it", "Rename\n  * it"],
  ["Rename\n| it |", "Rename\n  | it |"],
  ["### Breaking\nRename\n`a`", "### Breaking\n  Rename `a`"]
])("joins the lines of a summary, unless a block begins or a heading ends: %j", (summary, expected) => {
  const changesets = [{ summary, releases: [{ name: "@blockquarry/cli", type: "patch" }] }]
  expect(changelogSection("0.2.0", "2026-02-02", { changesets }).split("- **cli**: ")[1]).toBe(expected)
})

describe("the contract", () => {
  const records = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n")
    .filter((file) => /(^|\/)test\/[^/]+\/records\//.test(file))
  const page = readFileSync(join(root, "docs/releases.md"), "utf8")

  it("covers every golden record, and each of its parts has some", () => {
    expect(records.filter((file) => partOf(file) === undefined)).toEqual([])
    expect(parts.filter(({ part }) => !records.some((file) => partOf(file) === part))).toEqual([])
  })

  it("does not change with the version", () => {
    const version = releaseVersion(root).replaceAll(".", "\\.")
    const named = new RegExp(`(quarry|version)["':=/ ]+${version}(?![\\w.-])`)
    const versions = records.flatMap((file) => named.exec(readFileSync(join(root, file), "utf8"))?.[0] ?? [])
    expect(versions).toEqual([])
  })

  it("is documented with each part and the folder of its records", () => {
    for (const { part } of parts) expect(page).toContain(`| ${part} `)
    for (const file of records) expect(page).toContain(file.slice(0, file.indexOf("/records/") + 8))
  })

  it("counts and shows what differs from the last release", () => {
    const record = "packages/redis/test/golden/records/cache.json"
    mkdirSync(join(temporary, "packages/redis/test/golden/records"), { recursive: true })
    git("init", "--quiet")
    const commit = (text: string, tag?: string) => {
      writeFileSync(join(temporary, record), text)
      writeFileSync(join(temporary, "other.txt"), text)
      git("add", ".")
      git("commit", "--quiet", "-m", "a")
      if (tag !== undefined) git("tag", tag)
    }
    commit("a\n", "v0.9.0")
    expect(lastRelease(temporary, "HEAD")).toBe("v0.9.0")
    commit("b\n", "v0.10.0")
    commit("b\nc\n", "v0.11.0-next.1")
    expect(lastRelease(temporary, "HEAD")).toBe("v0.10.0")
    const { summary, text } = contractDiff(temporary, "v0.10.0", "HEAD")
    expect(summary.filter(({ files }) => files > 0)).toEqual([
      { part: "Data in Redis", files: 1, added: 1, removed: 0 }
    ])
    expect(text).toContain("+c")
    expect(text).not.toContain("other.txt")
    expect(contractDiff(temporary, undefined, "HEAD").summary.filter(({ files }) => files > 0)).toEqual([
      { part: "Data in Redis", files: 1, added: 2, removed: 0 }
    ])
  })
})

describe("the SBOM", () => {
  const time = new Date(0)

  it("lists every package in a program, with version and license", () => {
    const packages = bundledPackages(join(root, "apps/cli/dist"), "quarry")
    const manifest = { name: "@blockquarry/cli", version: "0.1.0", license: "MIT" }
    const bundled = packages.map((one) => one.manifest)
    const text = sbom({ manifest, bundled, time })
    const document = JSON.parse(text)
    expect(document).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      metadata: { component: { purl: "pkg:npm/%40blockquarry/cli@0.1.0" } }
    })
    expect(document.components.map(({ purl }: { readonly purl: string }) => purl).toSorted()).toEqual(
      bundled.map(({ name, version }) => `pkg:npm/${name.replace("@", "%40")}@${version}`).toSorted()
    )
    expect(document.components).toContainEqual(
      expect.objectContaining({ name: "effect", licenses: [{ license: { id: "MIT" } }] })
    )
    expect(document.components.filter((one: object) => !("licenses" in one))).toEqual([])
    expect(sbom({ manifest, bundled: bundled.toReversed(), time })).toBe(text)
  })
})

it("writes a formula that installs one archive and tests the program", () => {
  const text = formula({
    description: "Query \"data\"",
    homepage: "https://a.example",
    url: "https://a.example/a.tgz",
    sha256: "00"
  })
  expect(text).toContain("desc \"Query \\\"data\\\"\"")
  expect(text).toContain("url \"https://a.example/a.tgz\"\n  sha256 \"00\"")
  const command = /shell_output\("#\{bin\}\/quarry (--sandbox .*?)"\)/.exec(text)?.[1]?.split(" ") ?? []
  const output = execFileSync(process.execPath, [join(root, "apps/cli/dist/quarry.js"), ...command], {
    encoding: "utf8"
  })
  expect(output).toContain("usdPrice")
})

it("releases all published packages as one version", () => {
  expect(releaseVersion(root)).toMatch(/^\d+\.\d+\.\d+/)
  const config = parse(readFileSync(join(root, ".changeset/config.json"), "utf8"))
  expect(config.fixed).toEqual([["@blockquarry/*"]])
  for (const { manifest } of publishedPackages(root)) expect(manifest.name).toMatch(/^@blockquarry\//)
})

it("makes and publishes nothing in a folder with other files", () => {
  writeFileSync(join(temporary, "letter.txt"), "dear")
  const { status, stderr } = spawnSync(process.execPath, [
    fileURLToPath(new URL("../release/dryRun.mjs", import.meta.url)),
    temporary
  ], { encoding: "utf8" })
  expect(status).toBe(1)
  expect(stderr).toContain("has other files")
  expect(readFileSync(join(temporary, "letter.txt"), "utf8")).toBe("dear")
})
