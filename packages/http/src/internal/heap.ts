/** A heap of bounded size that keeps the largest of what it is offered. */
export class Heap<A> {
  private readonly kept: Array<A> = []
  private readonly smaller: (a: A, b: A) => boolean
  private readonly most: number

  constructor(smaller: (a: A, b: A) => boolean, most: number) {
    this.smaller = smaller
    this.most = most
  }

  /** Takes a value in, and lets the smallest go where there are too many. */
  offer(value: A): void {
    const { kept } = this
    if (kept.length < this.most) {
      kept.push(value)
      this.rise(kept.length - 1)
      return
    }
    const smallest = kept[0]
    if (smallest === undefined || !this.smaller(smallest, value)) return
    kept[0] = value
    this.sink(0)
  }

  /** What was kept, largest first; equal ones in no particular order. */
  drain(): ReadonlyArray<A> {
    return [...this.kept].sort((a, b) => this.smaller(a, b) ? 1 : this.smaller(b, a) ? -1 : 0)
  }

  private rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if (!this.swapIfSmaller(at, parent)) return
      at = parent
    }
  }

  private sink(from: number): void {
    for (let at = from;;) {
      const left = 2 * at + 1
      const right = this.isSmaller(left + 1, left) ? left + 1 : left
      if (!this.swapIfSmaller(right, at)) return
      at = right
    }
  }

  private isSmaller(a: number, b: number): boolean {
    const [first, second] = [this.kept[a], this.kept[b]]
    return first !== undefined && second !== undefined && this.smaller(first, second)
  }

  /** Swaps a value with one above it, where it is the smaller. */
  private swapIfSmaller(below: number, above: number): boolean {
    const [lower, upper] = [this.kept[below], this.kept[above]]
    if (lower === undefined || upper === undefined || !this.smaller(lower, upper)) return false
    this.kept[below] = upper
    this.kept[above] = lower
    return true
  }
}
