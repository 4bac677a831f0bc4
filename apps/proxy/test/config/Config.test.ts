/** Which addresses only this machine can connect to. */
import { expect, it } from "@effect/vitest"
import { isLoopback } from "../../src/config/Config.ts"

const loopback = ["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1"]
const others = [
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "128.0.0.1",
  "127.example.com",
  "127.1",
  "localhost.example.com",
  ""
]

it("a name or an address in no other form is a loopback address", () => {
  expect([...loopback, ...others].filter(isLoopback)).toEqual(loopback)
})
