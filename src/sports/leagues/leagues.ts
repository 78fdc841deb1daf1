import { notFound } from '../../core/errors.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { GammaSport } from '../../upstreams/gamma/parse-sports.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { SportsTools } from '../sources.js'

const FRESH_MS = 3_600_000

/** All leagues, in the order in which the platform lists them. */
export const listLeagues = ({ deps, caller }: SportsTools): Promise<Cached<GammaSport[]>> =>
  deps.fallbackCache.get('sports leagues', {
    freshMs: FRESH_MS,
    accountId: caller.accountId,
    load: () =>
      withUpstreamTimeout('gamma', (signal) =>
        deps.upstreams.gamma.listSports({ signal, accountId: caller.accountId }),
      ),
    // The platform has leagues in every season.
    isDoubtful: (leagues) => leagues.length === 0,
  })

/** The league with that code, in any letter case. Throws 404 when there is none. */
export async function findLeague(tools: SportsTools, code: string): Promise<GammaSport> {
  const { value: leagues } = await listLeagues(tools)
  const wanted = code.toLowerCase()
  const league = leagues.find(({ sport }) => sport.toLowerCase() === wanted)
  if (league === undefined) throw notFound(`League ${code} not found. GET /v2/sports/leagues lists all.`)
  return league
}
