import type { Log } from '../../lib/log.js'
import { FollowAll } from '../follow-all.js'
import type { LiveBooks } from '../live-books.js'

/** Which books are to be recorded: it follows them from `start` to `stop`, and says which these are. */
export type RecordedTokens = {
  start(): void
  stop(): void
  /** These tokens were evicted and are not followed any more. */
  lose(tokenIds: readonly string[]): void
  readonly tokens: ReadonlySet<string>
  /** How many books should be recorded and are not followed, because no slot is free. */
  readonly unfollowed: number
}

const LIST_MS = 60_000
const LIST_SOON_MS = 2_000
/** The share of one owner is smaller when others want books too. */
const NAMED_MAX = 20_000
const OWNER = 'recording'

/** Records the books of all open markets, also of markets that open later. */
export const recordAll = (books: LiveBooks): RecordedTokens => ({
  start: () => books.followAll(),
  stop: () => books.releaseAll(),
  // The books of all open markets have reserved slots.
  lose: () => undefined,
  get tokens() {
    return books.allTokens
  },
  get unfollowed() {
    return books.unfollowedCount
  },
})

type NamedOptions = {
  books: Pick<LiveBooks, 'follow' | 'release'>
  /** The tokens that the operator has named, as far as their markets are open; at most this many. */
  select: (limit: number) => Promise<readonly string[]>
  log: Log
}

/** Records the books that the operator has named, also of markets of a named event that open later. */
export const recordNamed = ({ books, select, log }: NamedOptions): RecordedTokens =>
  new FollowAll({
    select: () => select(NAMED_MAX),
    selectMax: NAMED_MAX,
    count: async () => NAMED_MAX,
    follow: (tokenIds) => books.follow(tokenIds, OWNER),
    release: (tokenIds) => books.release(tokenIds, OWNER),
    refreshMs: LIST_MS,
    soonMs: LIST_SOON_MS,
    log,
  })
