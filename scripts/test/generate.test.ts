/** A new operation needs four source files. What follows from them is generated or derived. */
import { execFile, execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { generatedFiles } from "../generate/files.mjs"
import { inlineScript } from "../inlineScript.mjs"
import { root } from "../release/workspace.mjs"

const packages = ["core", "http", "client", "sandbox"]

describe("a twelfth operation", () => {
  const copy = mkdtempSync(join(tmpdir(), "blockquarry-twelfth-"))
  afterAll(() => rmSync(copy, { recursive: true }))

  const fixture = fileURLToPath(new URL("fixtures/twelfth", import.meta.url))

  const filesOfOperation = readdirSync(fixture, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("walletTokens.ts"))

  /** Checks the types of the operation, and of the client that is generated. The packages of the copy import each other. */
  const typeErrors = async (): Promise<string> => {
    const paths = Object.fromEntries(
      packages.map((name) => [`@blockquarry/${name}/*`, [`./packages/${name}/src/*.ts`]])
    )
    const options = {
      extends: join(root, "tsconfig.base.json"),
      files: [...filesOfOperation, "packages/client/src/index.ts"],
      compilerOptions: {
        ...{
          composite: false,
          declaration: false,
          emitDeclarationOnly: false,
          declarationMap: false,
          noEmit: true
        },
        types: ["node"],
        plugins: [],
        paths: { ...paths, "@blockquarry/client": ["./packages/client/src/index.ts"] }
      }
    }
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(options))
    const args = [join(root, "scripts/tsc.mjs"), "--singleThreaded", "-p", copy]
    return promisify(execFile)(process.execPath, args)
      .then(() => "", ({ stdout }: { readonly stdout: string }) => stdout)
  }

  beforeAll(async () => {
    for (
      const folder of [
        ...packages.map((name) => `packages/${name}`),
        ...["apps/cli", "apps/proxy", "site"]
      ]
    ) {
      mkdirSync(join(copy, folder), { recursive: true })
      cpSync(join(root, folder, "src"), join(copy, folder, "src"), { recursive: true })
      cpSync(join(root, folder, "package.json"), join(copy, folder, "package.json"))
      symlinkSync(join(root, folder, "node_modules"), join(copy, folder, "node_modules"))
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
    cpSync(fixture, copy, { recursive: true })
    for (const [file, text] of await generatedFiles(copy)) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), text)
    }
  })

  it("has types", async () => {
    expect(await typeErrors()).toBe("")
  })

  it("is found through every door", async () => {
    const program = join(copy, "doors.mjs")
    const bundle = await rolldown({
      input: join(copy, "doors.ts"),
      platform: "node",
      plugins: [
        inlineScript(),
        {
          name: "copied-packages",
          resolveId: (id) => {
            const [, name, path = "index"] =
              /^@blockquarry\/(core|http|client|sandbox)(?:\/(.*))?$/.exec(id) ??
                []
            return name === undefined ? null : join(copy, "packages", name, "src", `${path}.ts`)
          }
        }
      ],
      resolve: { conditionNames: ["@blockquarry/source", "node", "import", "default"] }
    })
    await bundle.write({ file: program, format: "esm", codeSplitting: false })
    await bundle.close()
    const doors: unknown = JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8" }))
    expect(doors).toEqual({
      ids: true,
      layer: 2,
      stream: 1,
      promise: ["5", "5"],
      model: "7",
      requests: ["walletTokens"],
      command: ["wallet", "tokens"],
      route: "walletTokens",
      openApi: ["/api/v2.2/wallets/{address}/tokens", "/all/api/v2.2/wallets/{address}/tokens"],
      navigation: ["operations/walletTokens.md"],
      page: ["# walletTokens", expect.stringMatching(/^quarry wallet tokens 0x\w+ --chain eth --limit 3$/)]
    })
  })
})
