/** The index of the search, one for each language, which VitePress makes. */
declare module "@localSearchIndex" {
  const indexes: Readonly<Record<string, () => Promise<{ readonly default: string }>>>
  export default indexes
}
