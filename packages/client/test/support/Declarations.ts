/** The published declarations in an empty project: written as the build does, compiled, and shown as editors do. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type * as TypeScript from "typescript"
import { expect } from "vitest"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const packageFolder = join(root, "packages/client")
const source = join(packageFolder, "src/")
const require = createRequire(import.meta.url)

/** The highest supported version of TypeScript. The lowest, whose JavaScript API tells what editors show, checks the hovers. */
const compiler = join(root, "node_modules/typescript/bin/tsc")

/** Runs a program, and returns what it prints. */
export const run = (folder: string, ...args: ReadonlyArray<string>): Promise<string> =>
  promisify(execFile)(process.execPath, [...args], { cwd: folder, timeout: 600_000 }).then(
    ({ stdout }) => stdout,
    ({ message, stdout }: { readonly message: string; readonly stdout: string }) =>
      expect.fail(`${message}\n${stdout}`)
  )

/** Installs the package, with declarations only, into the project in `folder`. Returns its folder. */
export const install = async (folder: string): Promise<string> => {
  const files = join(folder, "node_modules/@blockquarry/client")
  const emitted = join(packageFolder, ".types/declarations")
  const options = {
    extends: join(packageFolder, "tsconfig.json"),
    include: [`${source}**/*.ts`],
    compilerOptions: {
      rootDir: source,
      outDir: emitted,
      composite: false,
      incremental: false,
      tsBuildInfoFile: null,
      types: ["node"],
      plugins: [],
      // The check of all types is another step
      noCheck: true
    },
    references: []
  }
  const project = join(packageFolder, ".declarations.json")
  try {
    await writeFile(project, JSON.stringify(options))
    await run(folder, join(root, "scripts/tsc.mjs"), "--singleThreaded", "-p", project)
  } finally {
    await rm(project)
  }
  await run(packageFolder, "declarations.mjs", emitted, files)
  const manifest = await readFile(join(packageFolder, "package.json"), "utf8")
  await writeFile(join(files, "package.json"), manifest.replaceAll("./dist/", "./"))
  return files
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "ES2022",
  lib: ["ES2022", "DOM"],
  module: "ESNext",
  moduleResolution: "bundler",
  types: [],
  skipLibCheck: false
}

/** Compiles a program, without Effect, and returns the errors. */
export const compile = async (folder: string, program: string): Promise<string> => {
  await writeFile(join(folder, "program.ts"), program)
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ files: ["program.ts"], compilerOptions }))
  return run(folder, compiler, "--singleThreaded", "-p", ".")
}

/** The part of the JavaScript API that is used here. TypeScript 7 has none. */
const ts: typeof TypeScript = require("typescript")

/**
 * Returns what an editor shows for the last name of each expression, at its first place in a program: its type, and its
 * documentation.
 */
export const hovers = (
  folder: string,
  program: string,
  expressions: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const file = join(folder, "hovers.ts")
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) =>
      name === file
        ? ts.ScriptSnapshot.fromString(program)
        : existsSync(name)
        ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8"))
        : undefined,
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => ts.convertCompilerOptionsFromJson(compilerOptions, folder).options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists
  })
  const errors = service.getSemanticDiagnostics(file)
  expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([])
  return expressions.map((expression) => {
    const start = program.indexOf(expression)
    expect(start, `${expression} is in the program`).toBeGreaterThanOrEqual(0)
    const info = service.getQuickInfoAtPosition(file, start + expression.length - 1)
    const [type, documentation = ""] = [info?.displayParts, info?.documentation].map((parts) =>
      ts.displayPartsToString(parts)
    )
    // Where a line of a paragraph ends does not matter
    return `${type}${documentation === "" ? "" : `\n// ${documentation.replaceAll(/\n *(?![-\n ])/g, " ")}`}`
  })
}
