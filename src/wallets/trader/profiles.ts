import type { Clock } from '../../core/clock.js'
import { AccountRefusal } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import { withUsernames } from '../../lookups/usernames.js'
import type { Sql } from '../../store/connection.js'
import type { GammaClient } from '../../upstreams/gamma/client.js'
import { type GammaProfile, usernameOf } from '../../upstreams/gamma/parse.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'

const PROFILES_MAX = 10_000
const FRESH_MS = 60 * 60_000
const STALE_MS_MAX = 24 * 60 * 60_000
/** What is missing is left empty: the rest of the answer does not wait for long. */
const TIMEOUT_MS = 3_000

/** What the platform shows of a trader. What it does not show is empty. */
export type TraderProfile = { name: string; pseudonym: string; joinDate: string; profileImage: string }

type ProfileDeps = { gamma: Pick<GammaClient, 'getProfile'>; clock: Clock }

/** Public profiles of traders, kept for an hour. */
export class TraderProfiles {
  readonly #gamma: ProfileDeps['gamma']
  readonly #cache: StaleFallbackCache

  constructor({ gamma, clock }: ProfileDeps) {
    this.#gamma = gamma
    this.#cache = new StaleFallbackCache({ clock, limits: { max: PROFILES_MAX }, staleMsMax: STALE_MS_MAX })
  }

  /** While the platform does not answer, or the account has used its share of its calls: the name that was seen last. */
  async read(sql: Sql, wallet: string, accountId: number): Promise<TraderProfile> {
    try {
      const { value } = await this.#cache.get(wallet, {
        freshMs: FRESH_MS,
        accountId,
        load: () =>
          withUpstreamTimeout(
            'gamma',
            async (signal) => toTraderProfile(await this.#gamma.getProfile(wallet, { signal, accountId })),
            TIMEOUT_MS,
          ),
      })
      return value
    } catch (error) {
      if (!(error instanceof UpstreamError || error instanceof AccountRefusal)) throw error
      const [{ username: name = '' } = {}] = await withUsernames(sql, [{ wallet }], (row) => row.wallet)
      return { ...toTraderProfile(undefined), name }
    }
  }
}

const toTraderProfile = (profile: GammaProfile | undefined): TraderProfile => ({
  name: usernameOf(profile) ?? '',
  pseudonym: profile?.pseudonym ?? '',
  joinDate: profile?.createdAt ?? '',
  profileImage: profile?.profileImage ?? '',
})
