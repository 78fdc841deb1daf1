import { hash } from 'node:crypto'

/**
 * The checksum of an order book as integrity mode `pn1` defines it: the hashes of all levels are
 * combined by XOR, so a change of a level costs one or two hashes, however deep the book is.
 */
export class Pn1Checksum {
  readonly #sum = Buffer.alloc(32)
  #bids = 0
  #asks = 0
  #text: string | undefined

  /** Both decimals are canonical; `size` is not zero. */
  add(side: 'BUY' | 'SELL', price: string, size: string): void {
    this.#toggle(side, price, size, 1)
  }

  /** A level that was added before, with the size that it had. */
  remove(side: 'BUY' | 'SELL', price: string, size: string): void {
    this.#toggle(side, price, size, -1)
  }

  /** 64 lower-case hex digits. */
  get text(): string {
    if (this.#text === undefined) {
      const head = Buffer.from(`pn1:book\0${this.#bids}\0${this.#asks}\0`)
      this.#text = hash('sha256', Buffer.concat([head, this.#sum]))
    }
    return this.#text
  }

  #toggle(side: 'BUY' | 'SELL', price: string, size: string, count: 1 | -1): void {
    const letter = side === 'BUY' ? 'B' : 'A'
    const level = hash('sha256', `pn1:level\0${letter}\0${price}\0${size}`, 'buffer')
    for (const [index, byte] of level.entries()) this.#sum[index] = (this.#sum[index] ?? 0) ^ byte
    if (side === 'BUY') this.#bids += count
    else this.#asks += count
    this.#text = undefined
  }
}

const CANONICAL = /^(0|[1-9]\d*)(\.\d*[1-9])?$/

/**
 * The shortest form of a decimal: `00.50` is `0.5`. Prices and sizes are compared as text, so books
 * keep this form only. The text has digits and at most one point.
 */
export function canonicalDecimal(text: string): string {
  if (CANONICAL.test(text)) return text
  const [whole = '', fraction = ''] = text.split('.')
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const rest = fraction.replace(/0+$/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}
