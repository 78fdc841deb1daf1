import type { GammaSport, GammaTeam } from '../../upstreams/gamma/parse-sports.js'

/** The tag of everything that has to do with esports. */
const ESPORTS_TAG_ID = '64'

/** The platform's own row, in which what is missing is an empty text. */
export const presentLeague = (league: GammaSport) => ({
  id: league.id,
  sport: league.sport,
  ...(league.name !== undefined && { name: league.name }),
  image: league.image ?? '',
  resolution: league.resolution ?? '',
  ordering: league.ordering ?? '',
  tags: league.tagIds.join(','),
  series: league.series ?? '',
  is_esports: league.tagIds.includes(ESPORTS_TAG_ID),
})

export const presentTeam = (team: GammaTeam) => ({
  id: team.id,
  name: team.name ?? null,
  league: team.league ?? null,
  record: team.record ?? null,
  logo: team.logo ?? null,
  abbreviation: team.abbreviation ?? null,
  alias: team.alias ?? null,
  color: team.color ?? null,
  ...(team.providerId !== undefined && { providerId: team.providerId }),
  ...(team.ordering !== undefined && { ordering: team.ordering }),
})
