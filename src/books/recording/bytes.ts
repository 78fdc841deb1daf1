import assert from 'node:assert/strict'

const FIRST_BYTES = 64

/** Bytes that grow, with numbers of varying length: seven bits to a byte, the lowest first. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Begins again, with the memory that it has. */
  clear(): void {
    this.#length = 0
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#length++] = value
  }

  /** A whole number that is not negative, up to 2^53 - 1. */
  unsigned(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, 'a number that bytes can hold')
    let rest = value
    // Above 31 bits the operators for bits do not work.
    for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128)
    for (; rest > 127; rest >>>= 7) this.byte((rest & 127) | 128)
    this.byte(rest)
  }

  /** A whole number of either sign, of which small ones are short. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** Bytes with their length before them. */
  section(bytes: Uint8Array): void {
    this.unsigned(bytes.length)
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  text(text: string): void {
    this.section(Buffer.from(text))
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + by))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** Reads what a `ByteWriter` wrote. Throws where the bytes end too early. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    assert(value !== undefined, 'the bytes end too early')
    return value
  }

  unsigned(): number {
    let value = 0
    for (let weight = 1; ; weight *= 128) {
      const byte = this.byte()
      value += (byte & 127) * weight
      if (byte < 128) return value
    }
  }

  signed(): number {
    const value = this.unsigned()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  section(): Uint8Array {
    const length = this.unsigned()
    const section = this.#bytes.subarray(this.#at, this.#at + length)
    assert(section.length === length, 'the bytes end too early')
    this.#at += length
    return section
  }

  text(): string {
    return Buffer.from(this.section()).toString()
  }
}
