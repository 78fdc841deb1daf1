import { sha256 } from './sha256.js'

export type BookLevel = { price: string; size: string }

type LevelChange = BookLevel & { side: BookSide }
export type BookSide = 'bids' | 'asks'

/** What integrity mode says of a book: its number and checksum, of a change also the number before it. */
type Proof = { seq: number; checksum: string; prev_seq?: number }

const encoder = new TextEncoder()

/**
 * A book with the checksum that integrity mode (`pn1`) proves it by: the hashes of all levels, combined by XOR, so that
 * a change of a level costs one or two hashes however deep the book is.
 */
export class ProvenBook {
  seq = 0
  checksum = ''
  readonly #levels = { bids: new Map<string, string>(), asks: new Map<string, string>() }
  #sum = new Uint8Array(32)

  /** Takes over a whole book; `false`: it is not the one that the proof is of. */
  load(book: { readonly [Side in BookSide]: readonly BookLevel[] }, proof: Proof): boolean {
    this.#sum = new Uint8Array(32)
    for (const side of SIDES) {
      this.#levels[side].clear()
      for (const { price, size } of book[side]) this.#set(side, price, size)
    }
    return this.#prove(proof)
  }

  /** Sets levels, of which those with the size 0 go; `false`: the change does not follow, or leads to another book. */
  change(changes: readonly LevelChange[], proof: Proof): boolean {
    if (proof.seq === this.seq && proof.checksum === this.checksum) return true
    if (proof.prev_seq !== this.seq) return false
    for (const { side, price, size } of changes) this.#set(side, price, size)
    return this.#prove(proof)
  }

  /** The best price first. */
  list(side: BookSide): BookLevel[] {
    const sign = side === 'bids' ? -1 : 1
    const levels = Array.from(this.#levels[side], ([price, size]) => ({ price, size }))
    return levels.sort((a, b) => sign * (Number(a.price) - Number(b.price)))
  }

  #set(side: BookSide, givenPrice: string, givenSize: string): void {
    const levels = this.#levels[side]
    const price = canonicalDecimal(givenPrice)
    const size = canonicalDecimal(givenSize)
    const before = levels.get(price)
    if (before !== undefined) this.#toggle(side, price, before)
    if (size === '0') levels.delete(price)
    else {
      levels.set(price, size)
      this.#toggle(side, price, size)
    }
  }

  #toggle(side: BookSide, price: string, size: string): void {
    const letter = side === 'bids' ? 'B' : 'A'
    const hash = sha256(encoder.encode(`pn1:level\0${letter}\0${price}\0${size}`))
    this.#sum = this.#sum.map((byte, index) => byte ^ (hash[index] ?? 0))
  }

  #prove({ seq, checksum }: Proof): boolean {
    const { bids, asks } = this.#levels
    const head = encoder.encode(`pn1:book\0${bids.size}\0${asks.size}\0`)
    const hash = sha256(Uint8Array.of(...head, ...this.#sum))
    this.seq = seq
    this.checksum = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return this.checksum === checksum
  }
}

const SIDES = ['bids', 'asks'] as const

/** The shortest form of a decimal: `00.50` is `0.5`. */
export function canonicalDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const rest = fraction.replace(/0+$/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}
