#!/usr/bin/env bash
# For an integer of format int64, @hey-api/openapi-ts 0.99.0 (with its transformers) and orval 8.38.0 (useBigInt) generate the type bigint.
# Both parse the response with JSON.parse first. hey-api makes a bigint of the rounded number: 9007199254740993 is 9007199254740992n, with
# the type that promises exact digits. A field that may be null stays a number if it is 0 and is a bigint otherwise, so adding 1n throws
# only for 0. orval makes no bigint at all: the values are numbers. Of a uint64, hey-api's type is number, and its zod schema makes a bigint.
# Guess: a bigint with the digits of the response. Needs Node and the npm registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund \
  node24@npm:node@24.21.0 @hey-api/openapi-ts@0.99.0 orval@8.38.0 typescript@5.9.3 zod@4.6.7 esbuild@0.28.2 >/dev/null

cat >api.yaml <<'API'
openapi: 3.1.0
info: { title: Transfers, version: "1" }
paths:
  /transfer:
    get:
      operationId: getTransfer
      responses:
        "200":
          description: A transfer
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Transfer" }
components:
  schemas:
    Transfer:
      type: object
      required: [id, fee, value]
      properties:
        id: { type: integer, format: int64 }
        fee: { type: [integer, "null"], format: int64 }
        value: { type: integer, format: uint64 }
API
cat >openapi-ts.config.ts <<'CONFIG'
export default {
  input: "./api.yaml",
  output: "hey",
  plugins: ["@hey-api/client-fetch", "@hey-api/transformers", { name: "@hey-api/sdk", transformer: true }, "zod"]
}
CONFIG
cat >orval.config.mjs <<'CONFIG'
export default { api: { input: "./api.yaml", output: { target: "orval/api.ts", client: "fetch", override: { useBigInt: true } } } }
CONFIG
PATH="$folder/node_modules/node24/bin:$PATH" npx openapi-ts >/dev/null 2>&1
PATH="$folder/node_modules/node24/bin:$PATH" npx orval --config orval.config.mjs >/dev/null 2>&1

cat >program.mjs <<'PROGRAM'
import { client } from "./hey/client.gen.ts"
import { getTransfer } from "./hey/sdk.gen.ts"
import { zTransfer } from "./hey/zod.gen.ts"
import { getTransfer as getWithOrval } from "./orval/api.ts"
const show = (value) => (typeof value === "bigint" ? `${value}n` : String(value))
const attempt = async (run) => {
  try {
    return await run()
  } catch (error) {
    return error.name
  }
}
let body
globalThis.fetch = async () => new Response(body, { headers: { "content-type": "application/json" } })
client.setConfig({ baseUrl: "http://127.0.0.1" })
const fields = ({ id, fee, value }) => `id ${show(id)}, fee ${show(fee)}, value ${show(value)}`
for (const [id, fee, value] of [["1", "0", "1"], ["1", "7", "1"], ["9007199254740993", "9007199254740993", "9007199254740993"]]) {
  body = `{"id":${id},"fee":${fee},"value":${value}}`
  console.log(body)
  console.log("  hey-api:", await attempt(async () => fields((await getTransfer({ throwOnError: true })).data)))
  console.log("  fee + 1n:", await attempt(async () => show((await getTransfer({ throwOnError: true })).data.fee + 1n)))
  console.log("  hey-api's zod schema:", await attempt(() => fields(zTransfer.parse(JSON.parse(body)))))
  console.log("  orval:", await attempt(async () => fields((await getWithOrval()).data)))
}
PROGRAM

{
  echo "hey-api: $(grep -E '^    (id|fee|value)' hey/types.gen.ts | tr -s ' \n' ' ')"
  echo "orval: $(grep -E '^  (id|fee|value)' orval/api.ts | tr -s ' \n' ' ')"
  npx esbuild program.mjs --bundle --platform=node --format=esm --log-level=error --outfile=bundle.mjs
  node_modules/node24/bin/node bundle.mjs
} | tee output
diff output - <<'EXPECTED'
hey-api:  id: bigint; fee: bigint | null; value: number; 
orval:  id: bigint; fee: bigint | null; value: bigint; 
{"id":1,"fee":0,"value":1}
  hey-api: id 1n, fee 0, value 1
  fee + 1n: TypeError
  hey-api's zod schema: id 1n, fee 0n, value 1n
  orval: id 1, fee 0, value 1
{"id":1,"fee":7,"value":1}
  hey-api: id 1n, fee 7n, value 1
  fee + 1n: 8n
  hey-api's zod schema: id 1n, fee 7n, value 1n
  orval: id 1, fee 7, value 1
{"id":9007199254740993,"fee":9007199254740993,"value":9007199254740993}
  hey-api: id 9007199254740992n, fee 9007199254740992n, value 9007199254740992
  fee + 1n: 9007199254740993n
  hey-api's zod schema: id 9007199254740992n, fee 9007199254740992n, value 9007199254740992n
  orval: id 9007199254740992, fee 9007199254740992, value 9007199254740992
EXPECTED
