/** The entity tags that answers came with: an answer that is the same has the same tag. */

/** So many are remembered, which is more than there are popular questions. */
const capacity = 4096

export class EntityTags {
  readonly #tags = new Map<string, string>()

  /** Of an answer that came before. */
  get(target: string): string | undefined {
    return this.#tags.get(target)
  }

  /** False where the same answer came with another tag before. */
  add(target: string, tag: string): boolean {
    const before = this.#tags.get(target)
    if (before === undefined && this.#tags.size < capacity) this.#tags.set(target, tag)
    return before === undefined || before === tag
  }
}
