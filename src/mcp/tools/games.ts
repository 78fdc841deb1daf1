import type { Fields } from '../../core/errors.js'
import {
  CURSOR,
  cutText,
  fieldsOf,
  nextPosition,
  parametersOf,
  pick,
  positionOf,
  type Tool,
  textOf,
  toSlice,
} from '../tool.js'

const GAME_UNITS =
  'startTime: ISO 8601, UTC; score: home side first; prices: dollars per share, 0 to 1; volume fields: US dollars'

export const gamesTool: Tool = {
  name: 'list_games',
  title: 'Games of a league',
  description:
    'Games of a league, upcoming and live or over, with score and moneyline prices. Without `league`: the leagues, and how many games each has.',
  operations: ['listLeagueGames', 'getSportsSummary'],
  arguments: {
    ...parametersOf('listLeagueGames', 'league', 'status', 'sort', 'direction', 'limit'),
    cursor: CURSOR,
  },
  limit: 10,
  units: GAME_UNITS,
  run: async ({ args, ask }) => {
    const { cursor: _, league, ...filters } = args
    if (league === undefined) {
      const { leagues } = await ask('getSportsSummary')
      const keep = [
        'league',
        'active_events',
        'live_events',
        'market_count',
        'volume_24h',
        'latest_event_date',
      ]
      const rows = fieldsOf(leagues).map((each) => pick(each, keep))
      return { head: {}, ...toSlice(args, 'leagues', rows), narrowBy: ['league'] }
    }
    const from = positionOf(args)
    const body = await ask('listLeagueGames', { ...filters, league, offset: from })
    const total = Number(body.total)
    return {
      head: { league, status: body.status, total },
      name: 'games',
      rows: fieldsOf(body.games).map(presentGame),
      next: nextPosition(from, total),
      narrowBy: ['status', 'limit'],
    }
  },
}

function presentGame(game: Fields): Fields {
  const moneyline = fieldsOf(game.markets).find(({ sportsMarketType }) => sportsMarketType === 'moneyline')
  const keep = ['slug', 'title', 'status', 'startTime', 'score', 'period', 'elapsed', 'volume']
  return { ...pick(game, keep), ...pick(moneyline ?? {}, ['outcomes', 'outcomePrices']) }
}

export const gameTool: Tool = {
  name: 'get_game',
  title: 'A game at this moment',
  description:
    'One game by its slug: score, period, and the best prices of its markets, moneyline first. `list_games` and `search` find slugs; `get_game_context` has what is written about it.',
  operations: ['getGameState'],
  arguments: { ...parametersOf('getGameState', 'slug'), cursor: CURSOR },
  required: ['slug'],
  units: GAME_UNITS,
  run: async ({ args, ask }) => {
    const body = await ask('getGameState', { slug: args.slug, price_limit_tokens: 40 })
    const score = pick(Object(body.score), ['score', 'period', 'elapsed', 'live', 'freshness'])
    const rows = fieldsOf(body.markets).map((market) => ({
      ...pick(market, ['question', 'slug', 'sportsMarketType', 'line']),
      prices: fieldsOf(market.prices).map((each) =>
        pick(each, ['outcome', 'best_bid', 'best_ask', 'midpoint']),
      ),
    }))
    const head = { ...pick(body, ['slug', 'title', 'status', 'startTime', 'total_tokens']), score }
    return { head, ...toSlice(args, 'markets', rows), narrowBy: [] }
  },
}

const POST_LENGTH_MAX = 280

export const gameContextTool: Tool = {
  name: 'get_game_context',
  title: 'What is written about a game',
  description:
    'Posts and pages of the web about a game, by its slug: injuries, lineups, news. Costs social requests of the month with `sources=social`, the default.',
  operations: ['getGameContext'],
  arguments: {
    ...parametersOf('getGameContext', 'slug', 'sources', 'query_set', 'max_queries', 'max_per_query'),
    cursor: CURSOR,
  },
  required: ['slug'],
  units: 'likes, reposts: counts; created_at, published_at: as the source writes them',
  run: async ({ args, ask }) => {
    const { cursor: _, ...query } = args
    const body = await ask('getGameContext', { max_queries: 1, ...query })
    const { social, online }: Fields = Object(body.sources)
    const rows = [...findings(social, 'tweets', presentPost), ...findings(online, 'results', presentPage)]
    const status = { social: statusOf(social), online: statusOf(online) }
    const head = { ...pick(body, ['slug', 'title', 'query_set']), ...status }
    return { head, ...toSlice(args, 'written', rows), narrowBy: ['sources', 'query_set', 'max_queries'] }
  },
}

/** Each post or page once, though several queries may have found it. */
function findings(source: unknown, field: string, present: (found: Fields) => Fields): Fields[] {
  const found = fieldsOf(Object(source).queries).flatMap((query) => fieldsOf(query[field]).map(present))
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}

const statusOf = (source: unknown): string | undefined => {
  const { status, error }: Fields = Object(source)
  return status === undefined ? undefined : [textOf(status), textOf(error)].filter(Boolean).join(': ')
}

const presentPost = ({ text, created_at, author, public_metrics }: Fields): Fields => ({
  text: cutText(textOf(text), POST_LENGTH_MAX),
  by: Object(author).username,
  created_at,
  likes: Object(public_metrics).like_count,
  reposts: Object(public_metrics).retweet_count,
})

const presentPage = ({ title, url, snippet, published_at }: Fields): Fields => ({
  ...pick({ title, published_at }, ['title', 'published_at']),
  url,
  text: cutText(textOf(snippet), POST_LENGTH_MAX),
})
