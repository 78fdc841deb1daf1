import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { GammaClient } from '../../upstreams/gamma/client.js'
import type { GammaSport, GammaTeam } from '../../upstreams/gamma/parse-sports.js'
import type { CallOptions } from '../../upstreams/transport/http.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { SportsTools } from '../sources.js'

/** How long teams are shown without asking Gamma again. */
export const TEAMS_MS = 3_600_000
/** What the platform shows at most. */
const PAGE_SIZE = 100
/** Further pages that are requested in parallel: the largest leagues have some thousand players. */
const PAGES_AT_ONCE = 8
const TEAMS_MAX = 20_000

/** The teams of a league; a league without a roster has none. */
export const listTeamsOf = (
  { deps, caller: { accountId } }: SportsTools,
  { sport }: GammaSport,
): Promise<Cached<GammaTeam[]>> =>
  deps.fallbackCache.get(`sports teams ${sport}`, {
    freshMs: TEAMS_MS,
    accountId,
    load: () =>
      withUpstreamTimeout('gamma', (signal) =>
        readTeams(deps.upstreams.gamma, { league: [sport] }, { signal, accountId }),
      ),
  })

/** All pages of a list of teams. */
export async function readTeams(
  gamma: Pick<GammaClient, 'listTeams'>,
  filter: { league?: readonly string[] },
  call: CallOptions,
): Promise<GammaTeam[]> {
  const byId = new Map<number, GammaTeam>()
  for (let offset = 0, pages = 1; offset < TEAMS_MAX; pages = PAGES_AT_ONCE) {
    const offsets = Array.from({ length: pages }, (_, page) => offset + page * PAGE_SIZE)
    const wave = await Promise.all(
      offsets.map((start) => {
        const slice = { limit: PAGE_SIZE, offset: start, order: 'id', ascending: true }
        return gamma.listTeams({ ...filter, ...slice }, call)
      }),
    )
    // Between two pages a team may move to the next one, and be there again.
    for (const { items } of wave) for (const team of items) byId.set(team.id, team)
    if ((wave.at(-1)?.entryCount ?? 0) < PAGE_SIZE) break
    offset += pages * PAGE_SIZE
  }
  return [...byId.values()]
}
