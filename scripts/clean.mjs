// clean.mjs: removes the output of earlier builds. Turbo restores files, but does not remove those of sources that are gone.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { publishedPackages, root } from "./release/workspace.mjs"

for (const { folder } of publishedPackages(root)) {
  rmSync(join(folder, "dist"), { recursive: true, force: true })
}
