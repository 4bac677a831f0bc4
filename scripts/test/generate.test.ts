/** A new operation needs four files. What follows from them is generated or derived. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { afterAll, describe, expect, it } from "vitest"
import { generatedFiles } from "../generate/files.mjs"
import { inlineScript } from "../inlineScript.mjs"
import { root } from "../release/workspace.mjs"

describe("a twelfth operation", () => {
  const copy = mkdtempSync(join(tmpdir(), "blockquarry-twelfth-"))
  afterAll(() => rmSync(copy, { recursive: true }))

  it("is found through every door", async () => {
    for (
      const folder of [
        ...["core", "http", "client", "sandbox"].map((name) => `packages/${name}`),
        ...["apps/cli", "apps/proxy", "site"]
      ]
    ) {
      mkdirSync(join(copy, folder), { recursive: true })
      cpSync(join(root, folder, "src"), join(copy, folder, "src"), { recursive: true })
      cpSync(join(root, folder, "package.json"), join(copy, folder, "package.json"))
      symlinkSync(join(root, folder, "node_modules"), join(copy, folder, "node_modules"))
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
    const fixture = fileURLToPath(new URL("fixtures/twelfth", import.meta.url))
    cpSync(fixture, copy, { recursive: true })
    for (const [file, text] of await generatedFiles(copy)) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), text)
    }
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
      exampleInput: ["address", "chain", "limit"],
      navigation: ["operations/walletTokens.md"],
      page: ["# walletTokens", expect.stringMatching(/^quarry wallet tokens 0x\w+ --chain eth --limit 3$/)]
    })
  })
})
