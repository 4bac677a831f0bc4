/** Records entity tags, to check that equal documents have equal tags. */

/** More than the number of popular requests. */
const capacity = 4096

export class EntityTags {
  readonly #tags = new Map<string, string>()

  /** Returns the tag of an earlier response. */
  get(target: string): string | undefined {
    return this.#tags.get(target)
  }

  /** Returns false if an earlier response of the same document had another tag. */
  add(target: string, tag: string): boolean {
    const before = this.#tags.get(target)
    if (before === undefined && this.#tags.size < capacity) this.#tags.set(target, tag)
    return before === undefined || before === tag
  }
}
