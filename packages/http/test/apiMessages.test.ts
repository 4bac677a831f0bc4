/** What the compiler says about an API of a program: messages of mistakes, and the types that editors show. */
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Each comment is the beginning of the message about its line, in which `…` is any text. */
const program = `
import * as Api from "@blockquarry/http/Api"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import { DataApi } from "@blockquarry/http/DataApi"
import { LedgerApi } from "@blockquarry/http/LedgerApi"
import * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { walletTokens } from "../test/support/OwnOperations.ts"

class Tokens extends Api.Tag<Tokens>()("my-app/Tokens", { operations: { walletTokens } }) {}

export const mistakes = ({ baseUrl }: ApiOptions) => [
  Api.layer(LedgerApi, { baseUrl }),
  Api.layer(Tokens, { baseUrl }), // Property 'apiKey' is missing in type '{ baseUrl: string | URL; }' but required in type 'ApiOptions'
  Api.layerConfig(Tokens, { retries: 3 }), // Object literal may only specify known properties, and 'retries' does not exist in type 'ConfigOptions'
  Api.layerConfig(Tokens, { baseUrl: Config.integer("PORT") }), // Type 'Config<number>' is not assignable to type 'string | Config<string | URL> | URL
  Api.layerTest(Tokens, { walletToken: () => Effect.die("") }), // Object literal … 'walletToken' does not exist in type 'TestDoubles<…Did you mean to write 'walletTokens'?
  Effect.flatMap(Tokens, (api) => api.walletToken), // Property 'walletToken' does not exist on type 'ApiClient<…Did you mean 'walletTokens'?
  Effect.flatMap(Tokens, (api) => api.walletTokens({ wallet: "0x" })), // Object literal … 'wallet' does not exist in type '{ readonly address: string; readonly chain?: ChainInput | undefined;
  Api.Tag<Tokens>()("my-app/Tokens", { operations: { count: 1 } }), // Type 'number' is not assignable to type 'AnyOperation'
  Api.Tag<Tokens>()("my-app/Tokens", { operations: {}, apiKey: "none" }) // Type '"none"' is not assignable to type 'ApiKeyRequirement
]

export const shown = (
  tokens: Context.Tag.Service<Tokens>,
  data: Context.Tag.Service<DataApi>
): ReadonlyArray<never> => [
  tokens.walletTokens, // Type 'ListOperationFunction<{ readonly address: string; readonly chain?: ChainInput | undefined; readonly cursor?: string | undefined; }, Page<
  data.tokenPrice, // Type 'OperationFunction<TokenPriceInput, TokenPrice>'
  data // Type 'ApiClient<DataOperations>'
]
`

it("messages and types are short, and name what a program wrote", async () => {
  const folder = mkdtempSync(join(root, "packages/http/.types-"))
  try {
    const options = {
      extends: "../../../tsconfig.base.json",
      include: ["program.ts"],
      compilerOptions: {
        composite: false,
        declaration: false,
        emitDeclarationOnly: false,
        declarationMap: false,
        noEmit: true,
        allowImportingTsExtensions: true,
        types: ["node"],
        plugins: []
      }
    }
    writeFileSync(join(folder, "program.ts"), program)
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
    const output = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [join(root, "scripts/tsc.mjs"), "-p", folder],
        (_, stdout) => resolve(stdout)
      )
    })
    const messages = [...output.matchAll(/^\S*program\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm)]
      .map(([, line, message]) => `${line}: ${message}`)
    const patterns = program.split("\n").flatMap((line, index) => {
      const [, comment] = / \/\/ (.*)$/.exec(line) ?? []
      return comment === undefined ? [] : [`${index + 1}: ${comment}`]
    }).map((text) =>
      expect.stringMatching(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*")}`)
    )
    expect(messages).toEqual(patterns)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
