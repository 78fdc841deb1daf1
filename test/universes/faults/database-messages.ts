/** The part of a message that has arrived when it is reported. */
export type DatabaseMessage = {
  /** The letter of its type. */
  kind: string
  /** Where it begins in the chunk that completed it; negative: in an earlier one. */
  start: number
  /** Its first bytes, or all of it. */
  body: Buffer
}

type ScannerOptions = {
  /** Whether the stream begins with a message without a letter, as that of a client does. */
  hasStartup: boolean
  /** The letters of the messages that are reported. */
  kinds: string
}

const HEADER_BYTES = 5
/** Enough for the names and the first words of a statement. */
const BODY_BYTES_MAX = 256

/** Finds messages of PostgreSQL's protocol in the chunks of one direction of a connection. */
export class MessageScanner {
  readonly #kinds: string
  #isStartup: boolean
  /** The beginning of the message that is being read. */
  #head: number[] = []
  /** Bytes of the message after its header; unknown until that is complete. */
  #length: number | undefined
  /** Bytes of the message that were seen, header included. */
  #seen = 0

  constructor({ hasStartup, kinds }: ScannerOptions) {
    this.#isStartup = hasStartup
    this.#kinds = kinds
  }

  scan(chunk: Buffer): DatabaseMessage[] {
    const found: DatabaseMessage[] = []
    let at = 0
    while (at < chunk.length) {
      at += this.#read(chunk, at)
      if (this.#length === undefined || this.#seen < this.#headerBytes + this.#length) continue
      if (this.#isReported) {
        const body = Buffer.from(this.#head.slice(HEADER_BYTES))
        found.push({ kind: this.#kind, start: at - this.#seen, body })
      }
      this.#begin()
    }
    return found
  }

  get #kind(): string {
    return String.fromCharCode(this.#head[0] ?? 0)
  }

  get #isReported(): boolean {
    return !this.#isStartup && this.#kinds.includes(this.#kind)
  }

  get #headerBytes(): number {
    return this.#isStartup ? HEADER_BYTES - 1 : HEADER_BYTES
  }

  /** How many bytes it took: the header one by one, and the rest of the message at once. */
  #read(chunk: Buffer, at: number): number {
    if (this.#length === undefined) {
      this.#head.push(chunk[at] ?? 0)
      this.#seen++
      // The length counts its own four bytes.
      if (this.#seen === this.#headerBytes)
        this.#length = Buffer.from(this.#head.slice(-4)).readUInt32BE() - 4
      return 1
    }
    const taken = Math.min(chunk.length - at, this.#headerBytes + this.#length - this.#seen)
    const kept = Math.min(taken, HEADER_BYTES + BODY_BYTES_MAX - this.#head.length)
    if (kept > 0 && this.#isReported) this.#head.push(...chunk.subarray(at, at + kept))
    this.#seen += taken
    return taken
  }

  #begin(): void {
    this.#isStartup = false
    this.#head = []
    this.#length = undefined
    this.#seen = 0
  }
}
