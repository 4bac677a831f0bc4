// Hooks of pnpm. An archive has no `scripts` and `devDependencies`: they mean nothing outside of this workspace.
module.exports = {
  hooks: {
    beforePacking(manifest) {
      delete manifest.scripts
      delete manifest.devDependencies
      return manifest
    }
  }
}
