import { keccak256 } from '../../lib/keccak.js'
import { START } from './abi.js'
import { CONTRACTS, type ContractRole } from './contracts.js'
import { type DecodedEvent, ROLE_EVENTS } from './events.js'

/** What `eth_getLogs` and the logs subscription filter by; `null` at an index takes any topic there. */
export type LogFilter = {
  address?: readonly string[] | undefined
  topics?: readonly (string | readonly string[] | null)[] | undefined
}

/** Tokens of the whole chain: our own contracts emit an event for each transfer that matters. */
const UNWATCHED_ROLES = new Set<ContractRole>(['erc20'])

/** Permissions that move nothing. */
const SILENT_KINDS = new Set<string>(['erc20Approval', 'approvalForAll'] satisfies DecodedEvent['kind'][])

/** All logs of our contracts, whatever their event: one that has no decoder yet must be noticed. */
export const WATCHED: { address: readonly string[] } = {
  address: CONTRACTS.filter(({ role }) => role in ROLE_EVENTS && !UNWATCHED_ROLES.has(role)).map(
    ({ address }) => address,
  ),
}

/** The events that matter, by their hashes. */
export const KNOWN_TOPICS: readonly string[] = [
  ...new Set(
    Object.values(ROLE_EVENTS)
      .flat()
      .filter(({ kind }) => !SILENT_KINDS.has(kind))
      .map(({ topic0 }) => topic0),
  ),
]

/**
 * Makes a test of blooms: whether the block can hold a log that the filter takes. The bloom of a block
 * has three bits for each address that emitted a log and for each topic of one. `false`: certainly
 * none is there, so the node is right to return none. `true`: other items may have set the same bits.
 */
export function createBloomTest({ address, topics = [] }: LogFilter): (bloom: string) => boolean {
  const groups = [address, ...topics]
    .filter((items) => items != null)
    .map((items) => [items].flat().map(bitsOf))
  return (bloom) => groups.every((items) => items.some((bits) => hasBits(bloom, bits)))
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
