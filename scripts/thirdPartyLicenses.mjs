// thirdPartyLicenses.mjs PROGRAM: writes THIRD-PARTY-LICENSES, the licenses of the code that dist/PROGRAM.js contains. Runs in
// the folder of an application before it is packed.
import { writeFileSync } from "node:fs"
import { bundledPackages, licenseTexts } from "./bundledPackages.mjs"

const [, , program] = process.argv
if (program === undefined) throw new Error("usage: thirdPartyLicenses.mjs PROGRAM")
writeFileSync("THIRD-PARTY-LICENSES", licenseTexts(bundledPackages("dist", program)))
