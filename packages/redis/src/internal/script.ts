/** Scripts that Redis knows by the SHA-1 of their text. */
import { createHash } from "node:crypto"

export interface Script {
  readonly lua: string
  readonly sha: string
}

export const make = (lua: string): Script => ({
  lua,
  sha: createHash("sha1").update(lua).digest("hex")
})
