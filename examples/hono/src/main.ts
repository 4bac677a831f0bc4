/**
 * Runs the API on the port PORT of this machine, by default 3000. Without QUARRY_API_KEY it uses the embedded sandbox.
 */
import { createClient } from "@blockquarry/client"
import { createSandbox } from "@blockquarry/client/sandbox"
import { serve } from "@hono/node-server"
import { makeApp } from "./App.ts"

const sandbox = () => {
  const { apiKey, baseUrl, fetch } = createSandbox()
  return { apiKey, baseUrl, fetch }
}
const apiKey = process.env["QUARRY_API_KEY"]
const client = createClient({
  ...(apiKey === undefined ? sandbox() : { apiKey, baseUrl: process.env["QUARRY_BASE_URL"] }),
  cache: { enabled: true }
})

const app = makeApp(client, (message) => process.stderr.write(`${message}\n`))
const port = Number(process.env["PORT"] ?? 3000)
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, ({ address, port }) => {
  process.stdout.write(`listening at http://${address}:${port}\n`)
})

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    // Requests in flight need the client
    server.close(() => void client.close())
  })
}
