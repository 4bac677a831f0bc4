import { expect, it } from "@effect/vitest"
import { errorCodes } from "../../src/exchange/ErrorCode.ts"

it("the error codes are those that quarry explain has", async () => {
  const copy = `// dprint-ignore-file
/** The error codes of the proxy. A test of the proxy writes this file. */
export const proxyErrorCodes = ${JSON.stringify(errorCodes, null, 2)}
`
  await expect(copy).toMatchFileSnapshot("../../../cli/src/diagnostics/ProxyErrorCodes.ts")
})
