/** Example programs of the operations. The values exist in the sandbox; the tests run every program. */
import { type AnyOperation, isList, type Method, pathPrefix } from "@blockquarry/core/Operation"
import { decodeInput, encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Either from "effect/Either"
import { commandLine } from "../../apps/cli/src/commands/Descriptions.build.ts"

type Value = string | number | bigint | boolean | ReadonlyArray<string>

/** Written as a caller writes it. Path parameters come first, in the order of the command line. */
type Input = { readonly [parameter: string]: Value }

const values = Ledger.make().examples

const inputOf = ({ example, id }: AnyOperation): Input => {
  if (example === undefined) throw new Error(`${id}: its description has no example`)
  return example(values)
}

const formatValue = (value: Value): string => {
  if (typeof value === "bigint") return `${value}n`
  return typeof value === "object"
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : JSON.stringify(value)
}

/** The example input as JSON; the clients accept large integers as strings of digits. */
export const inputJson = (operation: AnyOperation): string =>
  JSON.stringify(
    inputOf(operation),
    (_, value: unknown) => typeof value === "bigint" ? String(value) : value,
    2
  )

const formatInput = (operation: AnyOperation, indent: string): string => {
  const members = Object.entries(inputOf(operation)).map(([name, value]) => `${name}: ${formatValue(value)}`)
  return `{\n${members.map((member) => `${indent}  ${member}`).join(",\n")}\n${indent}}`
}

const layers = {
  data: { module: "DataApi", variable: "data" },
  streams: { module: "StreamsApi", variable: "streams" },
  ledger: { module: "LedgerApi", variable: "ledger" }
} as const

const imports = (modules: ReadonlyArray<string>): string =>
  modules.map((path) => `import * as ${path.slice(path.lastIndexOf("/") + 1)} from "${path}"`).join("\n")

/** A program with the layers of Effect. It reads the environment variables of `quarry sandbox serve`. */
export const layerProgram = (operation: AnyOperation): string => {
  const { module, variable } = layers[operation.api]
  const input = formatInput(operation, "  ")
  const list = isList(operation)
  const call = list
    ? `  // One page
  const page = yield* ${variable}.${operation.id}(${input})
  yield* Console.log(page)

  // All records, page after page
  yield* ${variable}.${operation.id}.items(${input}, { maxItems: 5 }).pipe(
    Stream.runForEach(Console.log)
  )`
    : `  const result = yield* ${variable}.${operation.id}(${input})
  yield* Console.log(result)`
  return `${
    imports([
      `@blockquarry/http/${module}`,
      "@blockquarry/http/UndiciTransport",
      "effect/Console",
      "effect/Effect",
      "effect/Layer",
      ...(list ? ["effect/Stream"] : [])
    ])
  }

const program = Effect.gen(function*() {
  const ${variable} = yield* ${module}.${module}
${call}
})

const live = ${module}.layerConfig().pipe(Layer.provide(UndiciTransport.layer))

await Effect.runPromise(Effect.provide(program, live))
`
}

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-")

const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The command of an operation, without `quarry`. */
export const commandOf = ({ id }: AnyOperation): string => {
  const command = commandLine.commands.find(({ operation, path }) => operation === id && path[0] !== "watch")
  if (command === undefined) throw new Error(`${id}: no command`)
  return command.path.join(" ")
}

/** A command line without `--sandbox`. */
export const commandLineOf = (operation: AnyOperation): string => {
  const input = inputOf(operation)
  const required = operation.parameters.filter(({ required }) => required).map(({ name }) => name)
  const options = Object.entries(input).filter(([name]) => !required.includes(name)).flatMap((
    [name, value]
  ) => value === true ? [`--${kebab(name)}`] : [`--${kebab(name)}`, quote(String(value))])
  return ["quarry", commandOf(operation), ...required.map((name) => quote(String(input[name]))), ...options]
    .join(" ")
}

/** The default address of the proxy. */
const proxyOrigin = "http://127.0.0.1:8650"

export interface ExampleRequest {
  readonly method: Method
  /** Path and query. */
  readonly target: string
  readonly body: string | null
}

/** The request for the example input, as every client sends it. */
export const requestOf = (operation: AnyOperation): ExampleRequest => {
  const { body, path, query } = encodeRequest(
    operation,
    Either.getOrThrow(decodeInput(operation, inputOf(operation)))
  )
  return {
    method: operation.method,
    target: `${pathPrefix[operation.api]}${path}${query.length === 0 ? "" : `?${formatQuery(query)}`}`,
    body
  }
}

/** Requests to the proxy with curl; the second streams a whole list. */
export const curlCommands = (operation: AnyOperation): ReadonlyArray<string> => {
  const { body, target } = requestOf(operation)
  const url = (path: string) => quote(`${proxyOrigin}${path}`)
  if (body !== null) {
    return [`curl -X POST -H 'Content-Type: application/json' -d ${quote(body)} ${url(target)}`]
  }
  return [`curl ${url(target)}`, ...(isList(operation) ? [`curl ${url(`/all${target}`)}`] : [])]
}

/** A program with the promise client. */
export const clientProgram = (operation: AnyOperation): string => {
  const input = formatInput(operation, "")
  const calls = isList(operation)
    ? `// One page
const page = await client.${operation.id}(${input})
console.log(page)

// All records, page after page
for await (const item of client.${operation.id}.items(${input}, { maxItems: 5 })) {
  console.log(item)
}`
    : `const result = await client.${operation.id}(${input})
console.log(result)`
  return `import { createClient } from "@blockquarry/client"

const client = createClient({
  apiKey: process.env.QUARRY_API_KEY,
  baseUrl: process.env.QUARRY_BASE_URL
})

${calls}

await client.close()
`
}
