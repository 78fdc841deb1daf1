import { CONTRACTS, type Role } from './contracts.js'
import { type Fact, ROLE_EVENTS } from './events.js'

/** What `eth_getLogs` and the logs subscription filter by; `null` in a place takes any topic there. */
export type LogFilter = {
  address?: readonly string[] | undefined
  topics?: readonly (string | readonly string[] | null)[] | undefined
}

/** Tokens of the whole chain: what matters of them is told by our own contracts as well. */
const UNWATCHED_ROLES = new Set<Role>(['erc20'])

/** Permissions that move nothing. */
const UNWATCHED_KINDS = new Set<string>([
  'erc20Approval',
  'approvalForAll',
] satisfies Fact['kind'][])

/** Everything that our contracts say and that somebody may want to know. */
export const WATCHED: { address: readonly string[]; topics: readonly [readonly string[]] } = {
  address: CONTRACTS.filter(({ role }) => role in ROLE_EVENTS && !UNWATCHED_ROLES.has(role)).map(
    ({ address }) => address,
  ),
  topics: [
    [
      ...new Set(
        Object.values(ROLE_EVENTS)
          .flat()
          .filter(({ kind }) => !UNWATCHED_KINDS.has(kind))
          .map(({ topic0 }) => topic0),
      ),
    ],
  ],
}
