import { createHash } from 'node:crypto'

/** `undefined`: not a decimal that integrity mode takes. */
export function canonicalDecimal(value: string): string | undefined {
  const [, whole = '', fraction = ''] = /^([0-9]*)\.?([0-9]*)$/.exec(value) ?? []
  if (whole === '' && fraction === '') return undefined
  const shownWhole = whole.replace(/^0+(?=.)/, '') || '0'
  const shownFraction = fraction.replace(/0+$/, '')
  return shownFraction === '' ? shownWhole : `${shownWhole}.${shownFraction}`
}

/** Sizes by price, both canonical. */
export type Levels = ReadonlyMap<string, string>

/** The checksum of a book, computed from nothing but its levels. */
export function pn1Checksum(bids: Levels, asks: Levels): string {
  const sum = Buffer.alloc(32)
  for (const [side, levels] of [
    ['B', bids],
    ['A', asks],
  ] as const) {
    for (const [price, size] of levels) {
      const digest = sha256(`pn1:level\0${side}\0${price}\0${size}`)
      for (const [index, byte] of digest.entries()) sum[index] = (sum[index] ?? 0) ^ byte
    }
  }
  const head = Buffer.from(`pn1:book\0${bids.size}\0${asks.size}\0`)
  return sha256(Buffer.concat([head, sum])).toString('hex')
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
