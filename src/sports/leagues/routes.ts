import { Type } from 'typebox'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { cacheFor, LOST, NO_LEAGUE, SPORTS } from '../answer-parts.js'
import type { SportsDeps } from '../sources.js'
import { findLeague, listLeagues } from './leagues.js'
import { presentLeague, presentLive, presentSportsSummary, presentTeam } from './present.js'
import { LeagueCode, LeaguesReply, LiveReply, SummaryReply, TeamsQuery, TeamsReply } from './schemas.js'
import { readSummary } from './summary.js'
import { listTeamsOf } from './teams.js'

const common = { ...SPORTS, errors: LOST }

const leagues = defineAnswer({
  ...common,
  path: '/v2/sports/leagues',
  operationId: 'listLeagues',
  summary: 'Leagues',
  description: `The platform's own list, read again after an hour. \`sport\` is the code that all other paths under
\`/v2/sports\` use.`,
  cacheMs: cacheFor(30_000),
  reply: LeaguesReply,
  answer: async (tools: AnswerTools<SportsDeps>) => {
    const { value, isStale } = await listLeagues(tools)
    return { stale: isStale, count: value.length, leagues: value.map(presentLeague) }
  },
})

const teams = defineAnswer({
  ...common,
  path: '/v2/sports/leagues/:league/teams',
  operationId: 'listTeams',
  summary: 'Teams of a league',
  description: `Teams, or players where players compete, by their ids; read again after an hour. Some leagues have
no roster: their list is empty.`,
  errors: { ...LOST, ...NO_LEAGUE },
  cacheMs: cacheFor(30_000),
  params: Type.Object({ league: LeagueCode }),
  query: TeamsQuery,
  reply: TeamsReply,
  answer: async (tools: AnswerTools<SportsDeps>, { league: code, limit, offset }) => {
    const league = await findLeague(tools, code)
    const { value, isStale } = await listTeamsOf(tools, league)
    const page = value.slice(offset, offset + limit)
    const counts = { count: page.length, total: value.length }
    return { league: league.sport, stale: isStale, ...counts, teams: page.map(presentTeam) }
  },
})

const summary = defineAnswer({
  ...common,
  path: '/v2/sports/summary',
  operationId: 'getSportsSummary',
  summary: 'What goes on in each league',
  description: `Games to come and being played, their markets and volume, and the days with games; read again after a
minute. Leagues in which nothing goes on are left out. The platform's own summary is often partial: what it lacks is counted in our
copy of its catalogue, and \`fallback\` is true then.`,
  cacheMs: cacheFor(5_000),
  reply: SummaryReply,
  answer: async (tools: AnswerTools<SportsDeps>) => presentSportsSummary(await readSummary(tools)),
})

const live = defineAnswer({
  ...common,
  path: '/v2/sports/live',
  operationId: 'getLiveSports',
  summary: 'The same at a glance',
  description: 'The summary of all leagues by field, for pages that show where something goes on.',
  cacheMs: cacheFor(5_000),
  reply: LiveReply,
  answer: async (tools: AnswerTools<SportsDeps>) => presentLive(await readSummary(tools)),
})

export const leagueRoutes = endpointRoutes([leagues, teams, summary, live])
