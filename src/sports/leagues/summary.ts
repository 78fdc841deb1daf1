import { toId } from '../../catalogue/rows.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { groupBy } from '../../lib/group-by.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { LiveScores } from '../../scores/live-scores.js'
import type { GammaSport } from '../../upstreams/gamma/parse-sports.js'
import type { GammaLeagueSummaries } from '../../upstreams/gamma/parse-summary.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { SportsTools } from '../sources.js'
import { listLeagues } from './leagues.js'
import { type LeagueSummary, mergeSummary } from './merge-summary.js'
import { type LeagueActivity, type LeagueScope, selectLeagueActivity } from './queries.js'

const FRESH_MS = 60_000
/** The summary is only one of two sources: what it lacks is counted. */
const TIMEOUT_MS = 3_000

/** `gammaLeagueCount`: how many leagues Gamma's own summary had. */
export type SportsSummary = {
  leagues: LeagueSummary[]
  source: string
  isFallback: boolean
  gammaLeagueCount: number
}

const GAMMA_SUMMARY = 'gamma:/sports/summary'
const CATALOGUE = 'auspex:catalogue'

/**
 * What goes on in all leagues. Gamma's own summary is often partial or empty: the rest is counted in
 * our copy of its catalogue, so that it costs one call whatever the number of leagues.
 */
export const readSummary = (tools: SportsTools): Promise<Cached<SportsSummary>> =>
  tools.deps.fallbackCache.get('sports summary', {
    freshMs: FRESH_MS,
    accountId: tools.caller.accountId,
    load: () => loadSummary(tools),
  })

async function loadSummary(tools: SportsTools): Promise<SportsSummary> {
  const { platform, deps } = tools
  const [{ value: leagues }, ofGamma] = await Promise.all([listLeagues(tools), readGammaSummary(tools)])
  const activity = await selectLeagueActivity(platform.answerSql, toScopes(leagues), platform.clock.now())
  const counted = activity.map((row) => toSummary(row, deps.scores))
  const merged = mergeSummary(ofGamma ?? {}, counted, createLeagueNames(leagues))
  const isFallback = ofGamma === undefined || merged.isCompleted
  const sources = [...(ofGamma === undefined ? [] : [GAMMA_SUMMARY]), ...(isFallback ? [CATALOGUE] : [])]
  return {
    leagues: merged.leagues,
    source: sources.join('+'),
    isFallback,
    gammaLeagueCount: Object.keys(ofGamma ?? {}).length,
  }
}

/** `undefined`: Gamma has no summary now. */
async function readGammaSummary({ deps, caller }: SportsTools): Promise<GammaLeagueSummaries | undefined> {
  try {
    const { accountId } = caller
    const call = (signal: AbortSignal) => deps.upstreams.gamma.getSportsSummary({ signal, accountId })
    return await withUpstreamTimeout('gamma', call, TIMEOUT_MS)
  } catch (error) {
    if (error instanceof UpstreamError) return undefined
    throw error
  }
}

const toScopes = (leagues: readonly GammaSport[]): LeagueScope[] =>
  leagues.map(({ sport, series, primaryTagId }) => ({
    league: sport,
    series: toId(series) ?? null,
    tag: toId(primaryTagId) ?? null,
  }))

/** The score socket knows sooner than the catalogue whether a game is being played. */
const toSummary = ({ playing, ...row }: LeagueActivity, scores: Pick<LiveScores, 'get'>): LeagueSummary => {
  const games = groupBy(playing, ({ game }) => game)
  const isLive = (events: LeagueActivity['playing']) => {
    const score = events.flatMap(({ slug }) => scores.get(slug ?? '') ?? [])[0]
    return score?.live === undefined ? events.some(({ live }) => live) : score.live && !score.ended
  }
  return { ...row, liveEvents: [...games.values()].filter(isLive).length }
}

/** What leagues are called elsewhere than in the list of leagues, without regard to capitals and `-`. */
const OTHER_NAMES: Record<string, readonly string[]> = {
  lol: ['leagueoflegends'],
  cs2: ['counterstrike', 'counterstrike2', 'csgo'],
  dota2: ['dota'],
  val: ['valorant'],
  mlbb: ['mobilelegends', 'mobilelegendsbangbang'],
  r6siege: ['rainbowsix', 'rainbowsixsiege'],
  codmw: ['callofduty', 'cod'],
  ncaab: ['cbb', 'collegebasketball'],
  cfb: ['ncaaf', 'collegefootball'],
  epl: ['premierleague', 'englishpremierleague'],
  lal: ['laliga'],
  bun: ['bundesliga'],
  sea: ['seriea'],
  fl1: ['ligue1'],
  ucl: ['championsleague', 'uefachampionsleague'],
  uel: ['europaleague', 'uefaeuropaleague'],
}

/** Finds the code of a league by any name of it. A name that no league has stays as it is. */
export function createLeagueNames(leagues: readonly GammaSport[]): (name: string) => string {
  const codes = new Map<string, string>()
  const add = (name: string, code: string) => {
    if (!codes.has(toPlain(name))) codes.set(toPlain(name), code)
  }
  for (const { sport } of leagues) add(sport, sport)
  for (const { sport, name = sport } of leagues) add(name, sport)
  for (const { sport } of leagues) for (const name of OTHER_NAMES[sport.toLowerCase()] ?? []) add(name, sport)
  return (name) => codes.get(toPlain(name)) ?? name
}

const toPlain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
