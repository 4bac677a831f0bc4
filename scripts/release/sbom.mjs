// The software bill of materials of a package with a bundle: the packages whose code is in it, as CycloneDX 1.6.
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library"

const { ComponentBuilder } = Contrib.FromNodePackageJson.Builders
const { ExternalReferenceFactory } = Contrib.FromNodePackageJson.Factories

const builder = new ComponentBuilder(
  new ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory((expression) => {
    if (!/ (AND|OR|WITH) /.test(expression)) throw new Error(`${expression} is no SPDX expression`)
  })
)

/**
 * @param {import("@cyclonedx/cyclonedx-library").Contrib.FromNodePackageJson.Types.NodePackageJson} manifest
 * @param {import("@cyclonedx/cyclonedx-library").Enums.ComponentType} type
 */
const component = (manifest, type) => {
  const made = builder.makeComponent(manifest, type)
  if (made === undefined) throw new Error(`${manifest.name} has no name`)
  // A package URL: the @ of a scope is encoded
  made.purl = `pkg:npm/${String(manifest.name).replace("@", "%40")}@${manifest.version}`
  made.bomRef.value = made.purl
  return made
}

/**
 * Returns the document as JSON. Equal arguments give equal bytes.
 *
 * @param {object} program
 * @param {Parameters<typeof component>[0] & { readonly bin?: unknown }} program.manifest
 * @param {ReadonlyArray<Parameters<typeof component>[0]>} program.bundled the manifests of the packages in it
 * @param {Date} program.time
 */
export const sbom = ({ bundled, manifest, time }) => {
  const root = component(
    manifest,
    manifest.bin === undefined ? Enums.ComponentType.Library : Enums.ComponentType.Application
  )
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: root, timestamp: time }) })
  for (const one of bundled) {
    const part = component(one, Enums.ComponentType.Library)
    bom.components.add(part)
    root.dependencies.add(part.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}
