import { type TProperties, type TSchema, Type } from 'typebox'

/**
 * The answers of sports, online search and social as the specification and its reference have them,
 * written apart from the schemas of the service. Fields that are not listed may be there too.
 */
const object = (fields: TProperties) => Type.Object(fields)
const list = (fields: TProperties) => Type.Array(object(fields))
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])

const Text = Type.String({ minLength: 1 })
const AnyText = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Amount = Type.Number({ minimum: 0 })
const Flag = Type.Boolean()
const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })
const Moment = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$',
})
const Digits = Type.String({ pattern: '^\\d+$' })
const Decimal = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
const Status = Type.String({ enum: ['scheduled', 'live', 'final', 'closed'] })

const SUBSCRIPTION = {
  action: Type.Literal('subscribe'),
  type: Type.Literal('orderbook'),
  token_ids: Type.Array(Digits),
}
const Subscribe = object({ ws: Type.String({ pattern: '^wss?://.+/ws$' }), ...SUBSCRIPTION })

const QUOTE = {
  best_bid: orNull(Decimal),
  best_ask: orNull(Decimal),
  midpoint: orNull(Decimal),
  spread: orNull(Decimal),
}

const TEAM = {
  id: Type.Integer(),
  name: orNull(Text),
  league: orNull(Text),
  record: orNull(AnyText),
  logo: orNull(Text),
  abbreviation: orNull(Text),
  alias: orNull(AnyText),
  color: orNull(AnyText),
}

const MARKET = {
  id: Digits,
  question: Text,
  sportsMarketType: orNull(Text),
  outcomes: Type.Array(Text, { minItems: 2 }),
  outcomePrices: Type.Array(Decimal),
  clobTokenIds: Type.Array(Digits),
  _links: object({
    ws: Type.String({ pattern: '^wss?://.+/ws$' }),
    ws_subscribe: object(SUBSCRIPTION),
    orderbook_rest: orNull(Type.String({ pattern: '^https?://.+/v1/orderbook/\\d+$' })),
  }),
}

const GAME = {
  id: Digits,
  slug: Text,
  title: Text,
  status: Status,
  startTime: orNull(Moment),
  startDate: orNull(Moment),
  endDate: orNull(Moment),
  eventDate: orNull(Day),
  closed: Flag,
  active: Flag,
  score: orNull(Text),
  gameId: orNull(Type.Integer()),
  volume: Amount,
  volume24hr: Amount,
  liquidity: Amount,
  markets: Type.Array(object(MARKET), { minItems: 1 }),
}

const TOKEN_HISTORY = {
  token_id: Digits,
  outcome: Text,
  history: list({ t: Type.Integer({ minimum: 1_600_000_000 }), p: Amount }),
}

const STATE = object({
  slug: Text,
  title: Text,
  status: Status,
  source: object({
    metadata: Text,
    prices: Text,
    history: orNull(Text),
    score: Text,
  }),
  score: object({
    source: Text,
    score: orNull(Text),
    period: orNull(Text),
    live: orNull(Flag),
    freshness: Type.String({ enum: ['unknown', 'live', 'recent', 'stale', 'final'] }),
  }),
  markets: Type.Array(
    object({
      question: Text,
      sportsMarketType: orNull(Text),
      clobTokenIds: Type.Array(Digits),
      prices: list({ outcome: Text, ...QUOTE }),
    }),
    { minItems: 1 },
  ),
  truncated: Flag,
  total_tokens: Count,
  history: Type.Union([list(TOKEN_HISTORY), Type.Null()]),
  subscribe: Subscribe,
})

const SOURCE_STATUS = Type.String({
  enum: ['ok', 'partial', 'error', 'quota_exceeded', 'not_available'],
})

const POST = {
  id: Digits,
  text: AnyText,
  created_at: Type.String({
    pattern: '^[A-Z][a-z]{2} [A-Z][a-z]{2} \\d\\d [\\d:]{8} \\+0000 \\d{4}$',
  }),
  public_metrics: object({
    retweet_count: Count,
    reply_count: Count,
    like_count: Count,
    quote_count: Count,
    bookmark_count: Count,
    impression_count: Digits,
  }),
  author: object({ id: Digits, name: Text, username: Text }),
  conversation_id: Digits,
}

const RESULT = {
  title: Text,
  url: Text,
  domain: Text,
  snippet: AnyText,
  engines: Type.Array(Text),
  score: Amount,
  category: AnyText,
  published_at: orNull(Text),
}

const BY_LEAGUE = (schema: TSchema) => Type.Record(Type.String(), schema)

const SERIES = {
  id: Text,
  slug: Text,
  title: Text,
  seriesType: Text,
  recurrence: Text,
  active: Flag,
  volume24hr: Amount,
  volume: Amount,
  liquidity: Amount,
}

export const SHAPES = {
  leagues: object({
    count: Count,
    leagues: list({
      id: Type.Integer(),
      sport: Text,
      image: AnyText,
      resolution: AnyText,
      ordering: AnyText,
      tags: AnyText,
      series: AnyText,
    }),
  }),
  series: object({ count: Count, stale: Flag, series: Type.Array(object(SERIES)) }),
  oneSeries: object({
    ...SERIES,
    stale: Flag,
    count: Count,
    events: list({
      id: Text,
      slug: Text,
      title: Text,
      startTime: orNull(Moment),
      endDate: orNull(Moment),
      active: Flag,
      closed: Flag,
      gameId: orNull(Text),
    }),
  }),
  summary: object({
    source: Text,
    fallback: Flag,
    count: Count,
    leagues: list({
      league: Text,
      active_events: Count,
      live_events: orNull(Count),
      has_live: Flag,
      market_count: Count,
      volume_24h: Amount,
      upcoming: Flag,
      dates: Type.Array(Day),
      latest_event_date: orNull(Day),
    }),
  }),
  live: object({
    source: Text,
    fallback: Flag,
    summary_league_count: Count,
    volumes_24h: BY_LEAGUE(Amount),
    market_counts: BY_LEAGUE(Count),
    upcoming_leagues: Type.Array(Text),
    latest_event_dates: BY_LEAGUE(Day),
  }),
  teams: object({ league: Text, count: Count, teams: list(TEAM) }),
  games: object({
    league: Text,
    status: Text,
    series_id: orNull(Text),
    source: Text,
    fallback: Flag,
    stale: Flag,
    count: Count,
    games: list(GAME),
  }),
  game: object({ ...GAME, teams: list(TEAM) }),
  state: STATE,
  prices: object({
    slug: Text,
    title: Text,
    source: Text,
    count: Count,
    total_tokens: Count,
    truncated: Flag,
    tokens: list({ token_id: Digits, outcome: Text, question: Text, market_type: orNull(Text), ...QUOTE }),
    subscribe: Subscribe,
  }),
  history: object({
    slug: Text,
    source: Text,
    count: Count,
    total_tokens: Count,
    truncated: Flag,
    tokens: list(TOKEN_HISTORY),
  }),
  context: object({
    slug: Text,
    title: Text,
    query_set: Text,
    generated_queries: list({ id: Text, query: Text, reason: Text }),
    sources_requested: Type.Array(Type.String({ enum: ['social', 'online'] })),
    sources: object({
      social: object({
        status: SOURCE_STATUS,
        result_count: Count,
        queries: list({ query: Text, tweets: list(POST) }),
      }),
      online: object({
        status: SOURCE_STATUS,
        source: Type.Literal('search_online'),
        adapter: Type.Literal('searxng'),
        result_count: Count,
        queries: list({ query: Text, results: list(RESULT) }),
      }),
    }),
    state: STATE,
  }),
  marketTypes: object({
    source: Text,
    count: Count,
    marketTypes: Type.Array(Text, { minItems: 1 }),
    market_types: list({ code: Text, label: Text, category: Text, sports: Type.Array(Text) }),
  }),
  search: object({
    query: Text,
    source: Text,
    fallback: Flag,
    count: Count,
    results: list({ title: Text, slug: Text, category: Text, active: Flag, closed: Flag, volume: Amount }),
  }),
  online: object({
    query: Text,
    source: Type.Literal('search_online'),
    adapter: Type.Literal('searxng'),
    status: Type.String({ enum: ['ok', 'partial'] }),
    cached: Flag,
    engines_requested: Type.Array(Text),
    unresponsive_engines: list({ engine: Text, reason: Text }),
    result_count: Count,
    results: list(RESULT),
    answers: Type.Array(Text),
    suggestions: Type.Array(Text),
    fetched_at: Moment,
    elapsed_ms: Count,
  }),
  posts: object({ query: Text, tweets: list(POST), result_count: Count, fetched_at: Moment }),
  timeline: object({ handle: Text, tweets: list(POST), result_count: Count, fetched_at: Moment }),
}
