// thirdPartyLicenses.mjs PROGRAM: writes THIRD-PARTY-LICENSES, the licenses of the code that dist/PROGRAM.js contains, and
// LICENSE: pnpm adds that to an archive unless a file has LICENSE in its name. Runs in a package's folder before it is packed.
import { copyFileSync, writeFileSync } from "node:fs"
import { bundledPackages, licenseTexts } from "./bundledPackages.mjs"

const [, , program] = process.argv
if (program === undefined) throw new Error("usage: thirdPartyLicenses.mjs PROGRAM")
writeFileSync("THIRD-PARTY-LICENSES", licenseTexts(bundledPackages("dist", program)))
copyFileSync(new URL("../LICENSE", import.meta.url), "LICENSE")
