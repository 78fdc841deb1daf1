import { keccak256 } from '../../lib/keccak.js'
import { START } from './abi.js'
import type { LogFilter } from './filter.js'

/**
 * The bloom of a block has three bits for each address that emitted a log and for each topic of one.
 * `false`: certainly none did. `true`: probably one did, as other items may have set the same bits.
 */
export function bloomHas(bloom: string, item: string): boolean {
  return hasBits(bloom, bitsOf(item))
}

/**
 * Tells of a bloom whether the block can hold a log that the filter takes. `false`: it cannot, so an
 * empty answer about it is true.
 */
export function createBloomTest({ address, topics = [] }: LogFilter): (bloom: string) => boolean {
  const places = [address, ...topics]
    .filter((items) => items != null)
    .map((items) => [items].flat().map(bitsOf))
  return (bloom) => places.every((items) => items.some((bits) => hasBits(bloom, bits)))
}

type Bits = readonly number[]

const BLOOM_BITS = 2_048
/** Each bit is named by two bytes of the item's hash, of which the first six are used. */
const BIT_DIGITS = 4

function bitsOf(item: string): Bits {
  const hash = keccak256(item)
  return [0, 1, 2].map((index) => {
    const at = START + index * BIT_DIGITS
    return Number.parseInt(hash.slice(at, at + BIT_DIGITS), 16) % BLOOM_BITS
  })
}

/** Bit 0 is the lowest of the last digit. */
function hasBits(bloom: string, bits: Bits): boolean {
  return bits.every((bit) => {
    const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16)
    return (digit & (1 << (bit & 3))) !== 0
  })
}
