/** Every `@example` of the packages and every program in the documents compiles, as a reader would paste it. */
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const here = fileURLToPath(new URL("../", import.meta.url))
const root = fileURLToPath(new URL("../../../", import.meta.url))

interface Example {
  readonly line: number
  readonly code: string
}

/** The programs of a document. */
const programsOf = (text: string): ReadonlyArray<Example> =>
  [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    code: match[1] ?? ""
  }))

/** The examples of a file, each with the line it begins at. */
const examplesOf = (text: string): ReadonlyArray<Example> =>
  [...text.matchAll(/^ ?\* @example\n((?: ?\*(?! @).*\n)+)/gm)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    code: (match[1] ?? "").replace(/^ ?\* ?/gm, "").replace(/^```.*$/gm, "")
  }))

it("every example compiles", async () => {
  const folder = await mkdtemp(join(here, ".examples-"))
  try {
    let count = 0
    const compileFile = async (file: string, find: typeof examplesOf) => {
      for (const { code, line } of find(await readFile(join(root, file), "utf8"))) {
        count++
        const name = `${file}-${line}`.replace(/\W/g, "_")
        await writeFile(join(folder, `${name}.ts`), `${code}\nexport {}\n`)
      }
    }
    const compileAll = async (source: string, ending: string, find: typeof examplesOf) => {
      for (const file of await readdir(join(root, source), { recursive: true })) {
        if (file.endsWith(ending)) await compileFile(`${source}/${file}`, find)
      }
    }
    for (const name of ["core", "http", "redis", "sandbox", "client"]) {
      await compileAll(`packages/${name}/src`, ".ts", examplesOf)
      await compileFile(`packages/${name}/README.md`, programsOf)
    }
    await compileAll("docs", ".md", programsOf)
    const options = {
      extends: "../../../tsconfig.base.json",
      include: ["*.ts"],
      compilerOptions: { composite: false, noEmit: true, noUnusedLocals: false, types: ["node"], plugins: [] }
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(options))
    const compiled = await promisify(execFile)(process.execPath, [
      join(root, "scripts/tsc.mjs"),
      "-p",
      folder
    ])
      .then(
        () => "compiled",
        (error: { readonly stdout: string; readonly code: unknown }) => `${error.code}: ${error.stdout}`
      )
    expect(compiled).toBe("compiled")
    expect(count).toBeGreaterThan(10)
  } finally {
    await rm(folder, { recursive: true })
  }
})
