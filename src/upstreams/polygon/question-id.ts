import { keccak256 } from '../../lib/keccak.js'

/**
 * The question that an event of the optimistic oracle is about: the oracle repeats the ancillary data
 * that the adapter sent, and the hash of it is the id under which the adapter knows the question.
 */
export function questionIdOf(ancillaryData: string): string {
  return keccak256(ancillaryData)
}
