// Runs before `npm publish` and `pnpm publish` in the folder of a package.
console.error(
  "error: a release publishes archives that were checked, see docs/releases.md: pnpm run release:dry-run"
)
process.exitCode = 1
