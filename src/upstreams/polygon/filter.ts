import { CONTRACTS, type Role } from './contracts.js'
import { type DecodedEvent, ROLE_EVENTS } from './events.js'

/** What `eth_getLogs` and the logs subscription filter by; `null` in a place takes any topic there. */
export type LogFilter = {
  address?: readonly string[] | undefined
  topics?: readonly (string | readonly string[] | null)[] | undefined
}

/** Tokens of the whole chain: what matters of them is told by our own contracts as well. */
const UNWATCHED_ROLES = new Set<Role>(['erc20'])

/** Permissions that move nothing. */
const SILENT_KINDS = new Set<string>([
  'erc20Approval',
  'approvalForAll',
] satisfies DecodedEvent['kind'][])

/**
 * Everything that our contracts say. Not by events: one that nobody has taught us yet must come too,
 * or it would pass unnoticed.
 */
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
