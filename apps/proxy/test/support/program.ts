/** The bundled program, which `npx -y pnpm@10 test` builds before the tests. */
import { fileURLToPath } from "node:url"

/** The folder with the program and its chunks. */
export const distribution = fileURLToPath(new URL("../../dist/", import.meta.url))

export const program = fileURLToPath(new URL("../../dist/quarry-proxy.js", import.meta.url))
