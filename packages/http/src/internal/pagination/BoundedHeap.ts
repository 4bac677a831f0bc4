/** A heap of bounded size that keeps the largest of the offered values. */
export class BoundedHeap<A> {
  private readonly values: Array<A> = []
  private readonly isSmallerThan: (a: A, b: A) => boolean
  private readonly capacity: number

  constructor(isSmallerThan: (a: A, b: A) => boolean, capacity: number) {
    this.isSmallerThan = isSmallerThan
    this.capacity = capacity
  }

  /** Adds a value. Removes the smallest one if the heap is full. */
  offer(value: A): void {
    const { values } = this
    if (values.length < this.capacity) {
      values.push(value)
      this.siftUp(values.length - 1)
      return
    }
    const smallest = values[0]
    if (smallest === undefined || !this.isSmallerThan(smallest, value)) return
    values[0] = value
    this.siftDown(0)
  }

  /** Returns the values, largest first. The order of equal values is unspecified. */
  drain(): ReadonlyArray<A> {
    return [...this.values].sort((a, b) => this.isSmallerThan(a, b) ? 1 : this.isSmallerThan(b, a) ? -1 : 0)
  }

  private siftUp(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if (!this.swapIfSmaller(at, parent)) return
      at = parent
    }
  }

  private siftDown(from: number): void {
    for (let at = from;;) {
      const left = 2 * at + 1
      const right = this.isSmaller(left + 1, left) ? left + 1 : left
      if (!this.swapIfSmaller(right, at)) return
      at = right
    }
  }

  private isSmaller(a: number, b: number): boolean {
    const [first, second] = [this.values[a], this.values[b]]
    return first !== undefined && second !== undefined && this.isSmallerThan(first, second)
  }

  /** Swaps a value with its parent if it is smaller. */
  private swapIfSmaller(below: number, above: number): boolean {
    const [lower, upper] = [this.values[below], this.values[above]]
    if (lower === undefined || upper === undefined || !this.isSmallerThan(lower, upper)) return false
    this.values[below] = upper
    this.values[above] = lower
    return true
  }
}
