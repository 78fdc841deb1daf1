import type { EventStream, StatusDetails, StatusListener, StreamStatus } from './stream-types.js'

/** What all streams have in common: they are read in a loop, and have a status. */
export abstract class LiveStream<Item> implements EventStream<Item> {
  readonly #listeners = new Set<StatusListener>()
  #status: [StreamStatus, StatusDetails] = ['connecting', {}]

  abstract next(): Promise<IteratorResult<Item, undefined>>
  abstract close(): void

  async return(): Promise<IteratorResult<Item, undefined>> {
    this.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator]() {
    return this
  }

  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener)
    listener(...this.#status)
    return () => this.#listeners.delete(listener)
  }

  get isOpen(): boolean {
    return this.#status[0] === 'open'
  }

  setStatus(...status: [StreamStatus, StatusDetails]): void {
    this.#status = status
    for (const listener of this.#listeners) listener(...status)
  }
}
