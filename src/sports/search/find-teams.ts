import { UpstreamError } from '../../core/upstream-error.js'
import { pause } from '../../lib/timing.js'
import { type QueryWord, toQueryWords } from '../../lookups/query-words.js'
import { joinSearchTexts } from '../../lookups/search-text.js'
import type { GammaTeam } from '../../upstreams/gamma/parse-sports.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import { readTeams, TEAMS_MS } from '../leagues/teams.js'
import type { SportsDeps, SportsTools } from '../sources.js'

/** A team with what a search compares of it. */
export type SearchableTeam = { text: string; team: GammaTeam }

/** What events match is worth having without the teams, whose first read takes a hundred calls. */
const WAIT_MS = 2_500

/** The teams of all leagues whose names have all words of `q`. None while Gamma never answered. */
export async function findTeams(
  { deps }: Pick<SportsTools, 'deps'>,
  q: string,
  limit: number,
): Promise<GammaTeam[]> {
  try {
    const teams = deps.fallbackCache.get('sports teams', {
      freshMs: TEAMS_MS,
      // About a hundred calls in an hour, for all searches together: no account is charged.
      load: () => withUpstreamTimeout('gamma', (signal) => loadTeams(deps, signal)),
    })
    const cached = await Promise.race([teams, pause(WAIT_MS)])
    return cached === undefined ? [] : matchTeams(cached.value, q, limit)
  } catch (error) {
    if (error instanceof UpstreamError) return []
    throw error
  }
}

async function loadTeams({ upstreams }: SportsDeps, signal: AbortSignal): Promise<SearchableTeam[]> {
  return (await readTeams(upstreams.gamma, {}, { signal })).map(toSearchable)
}

export const toSearchable = (team: GammaTeam): SearchableTeam => ({
  text: joinSearchTexts([team.name ?? null, team.alias ?? null, team.abbreviation ?? null]),
  team,
})

/** Those with all words at beginnings of words; the ones with the shortest names first. */
export function matchTeams(teams: readonly SearchableTeam[], q: string, limit: number): GammaTeam[] {
  const words = toQueryWords(q)
  return teams
    .filter(({ text }) => words.every((word) => hasWord(text, word)))
    .sort((a, b) => a.text.length - b.text.length || a.team.id - b.team.id)
    .slice(0, limit)
    .map(({ team }) => team)
}

const hasWord = (text: string, word: QueryWord): boolean => word.some((meaning) => text.includes(meaning))
