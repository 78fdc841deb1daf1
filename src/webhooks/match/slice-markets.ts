import type { Sql } from '../../store/connection.js'

/** A market as payloads and filters need it. Null where the catalogue does not know. */
export type SliceMarket = {
  /** 32 bytes as hex text. */
  conditionId: string | null
  question: string | null
  slug: string | null
  eventSlug: string | null
  eventTitle: string | null
  image: string | null
  /** Slugs of the event's tags, in its order. */
  tags: readonly string[]
  /** What the filter `tags` compares: slugs and labels in lower case. */
  tagNames: readonly string[]
  /** Tokens as hex text and their outcomes, side by side. */
  tokens: readonly string[]
  outcomes: readonly string[]
}

/** What the catalogue says of markets, read once for each. Tokens and conditions are 32 bytes as hex text. */
export class SliceMarkets {
  readonly #sql: Sql
  readonly #byToken = new Map<string, SliceMarket>()
  readonly #byCondition = new Map<string, SliceMarket>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Reads the markets of tokens. One that the catalogue does not have has the condition that the chain states. */
  async ofTokens(tokens: Iterable<string>): Promise<(token: string) => SliceMarket> {
    await this.#read(this.#byToken, tokens, selectMarketsOfTokens)
    return (token) => this.#byToken.get(token) ?? unknownMarket(null)
  }

  async ofConditions(conditions: Iterable<string>): Promise<(condition: string) => SliceMarket> {
    await this.#read(this.#byCondition, conditions, selectMarketsOfConditions)
    return (condition) => this.#byCondition.get(condition) ?? unknownMarket(condition)
  }

  async #read(
    known: Map<string, SliceMarket>,
    keys: Iterable<string>,
    select: (sql: Sql, keys: readonly string[]) => Promise<MarketRow[]>,
  ): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !known.has(key))
    if (missing.length === 0) return
    for (const row of await select(this.#sql, missing)) known.set(row.key, toSliceMarket(row))
  }
}

/** The outcome that a token stands for; null: the catalogue does not have it. */
export const outcomeOfToken = ({ tokens, outcomes }: SliceMarket, token: string): string | null =>
  outcomes[tokens.indexOf(token)] ?? null

/** What is known of a market that the catalogue does not have. */
const unknownMarket = (conditionId: string | null): SliceMarket => ({
  conditionId,
  question: null,
  slug: null,
  eventSlug: null,
  eventTitle: null,
  image: null,
  tags: [],
  tagNames: [],
  tokens: [],
  outcomes: [],
})

type MarketRow = Omit<SliceMarket, 'tagNames'> & { key: string; labels: string[] }

/** Indexes: primary keys, tokens_token_key, markets_pkey, event_tags_pkey. */
const selectMarketsOfTokens = (sql: Sql, tokens: readonly string[]): Promise<MarketRow[]> =>
  sql<MarketRow[]>`
    select wanted.key, '0x' || encode(coalesce(m.condition, c.condition), 'hex') as condition_id,
           ${marketColumns(sql)}
      from ${wantedKeys(sql, tokens)}
      left join market_tokens mt on mt.token = wanted.bytes
      left join markets m on m.id = mt.market
      left join tokens t on t.token = wanted.bytes
      left join conditions c on c.id = t.condition
      ${eventJoins(sql)}`

/** Gamma may have several markets of one condition: the oldest counts. Index: markets_condition. */
const selectMarketsOfConditions = (sql: Sql, conditions: readonly string[]): Promise<MarketRow[]> =>
  sql<MarketRow[]>`
    select wanted.key, wanted.key as condition_id, ${marketColumns(sql)}
      from ${wantedKeys(sql, conditions)}
     cross join lateral (
       select * from markets where condition = wanted.bytes order by id limit 1
     ) m
      ${eventJoins(sql)}`

const wantedKeys = (sql: Sql, keys: readonly string[]) => sql`
  (select key, decode(substr(key, 3), 'hex') as bytes
     from unnest(${[...keys]}::text[]) as requested (key)) wanted`

const marketColumns = (sql: Sql) => sql`
  m.question, m.slug, m.image, e.slug as event_slug, e.title as event_title,
  array(select '0x' || encode(token, 'hex') from unnest(m.tokens) with ordinality as t (token, nth)
         order by nth) as tokens,
  coalesce(m.outcomes, '{}') as outcomes, tagged.tags, tagged.labels`

const eventJoins = (sql: Sql) => sql`
  left join events e on e.id = m.event
  left join lateral (
    select coalesce(array_agg(tags.slug order by et.place) filter (where tags.slug is not null), '{}')
             as tags,
           coalesce(array_agg(tags.label) filter (where tags.label is not null), '{}') as labels
      from event_tags et
      join tags on tags.id = et.tag
     where et.event = m.event
  ) tagged on true`

function toSliceMarket({ key, labels, ...market }: MarketRow): SliceMarket {
  const names = [...market.tags, ...labels].map((name) => name.toLowerCase())
  return { ...market, tagNames: [...new Set(names)] }
}

/** What filters compare of the market in which something happened. */
export const marketKeys = (market: SliceMarket) => ({
  conditionIds: market.conditionId === null ? [] : [market.conditionId],
  eventSlug: market.eventSlug ?? undefined,
  tags: market.tagNames,
})

/** The fields of payloads about a token. */
export const tokenFields = (market: SliceMarket, token: string) => ({
  market: market.question,
  slug: market.slug,
  outcome: outcomeOfToken(market, token),
  condition_id: market.conditionId,
})

const PLAIN = /^[^\s"\\{},]+$/

/** A list as payloads have it: the text of a PostgreSQL array, `{a,b}`. */
export const toBraces = (items: readonly (string | bigint)[]): string =>
  `{${items.map((item) => quote(String(item))).join()}}`

const quote = (item: string): string =>
  PLAIN.test(item) && item.toUpperCase() !== 'NULL' ? item : `"${item.replace(/["\\]/g, '\\$&')}"`

/** `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
export const toTimeText = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, -1).replace('T', ' ')}000`
