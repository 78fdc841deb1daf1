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

/** What the catalogue says of markets, read once for each. */
export class SliceMarkets {
  readonly #sql: Sql
  readonly #byToken = new Map<string, SliceMarket>()
  readonly #byCondition = new Map<string, SliceMarket>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /**
   * By token, 32 bytes as hex text. Every token has an entry: of one that the catalogue does not have,
   * with the condition that the chain states.
   */
  async ofTokens(tokens: Iterable<string>): Promise<ReadonlyMap<string, SliceMarket>> {
    const missing = missingIn(this.#byToken, tokens)
    if (missing.length > 0) {
      const keyed = await selectMarketsOfTokens(this.#sql, missing)
      keep(this.#byToken, missing, keyed, () => null)
    }
    return this.#byToken
  }

  /** By condition, 32 bytes as hex text. Every condition has an entry. */
  async ofConditions(conditions: Iterable<string>): Promise<ReadonlyMap<string, SliceMarket>> {
    const missing = missingIn(this.#byCondition, conditions)
    if (missing.length > 0) {
      const keyed = await selectMarketsOfConditions(this.#sql, missing)
      keep(this.#byCondition, missing, keyed, (condition) => condition)
    }
    return this.#byCondition
  }
}

/** The outcome that a token stands for; null: the catalogue does not have it. */
export const outcomeOfToken = ({ tokens, outcomes }: SliceMarket, token: string): string | null =>
  outcomes[tokens.indexOf(token)] ?? null

/** What is known of a market that the catalogue does not have. */
export const unknownMarket = (conditionId: string | null): SliceMarket => ({
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
     from unnest(${[...keys]}::text[]) as given (key)) wanted`

const marketColumns = (sql: Sql) => sql`
  m.question, m.slug, m.image, e.slug as event_slug, e.title as event_title,
  array(select '0x' || encode(token, 'hex') from unnest(m.tokens) with ordinality as t (token, place)
         order by place) as tokens,
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

const missingIn = (known: ReadonlyMap<string, SliceMarket>, keys: Iterable<string>): string[] =>
  [...new Set(keys)].filter((key) => !known.has(key))

function keep(
  known: Map<string, SliceMarket>,
  wanted: readonly string[],
  rows: readonly MarketRow[],
  conditionOf: (key: string) => string | null,
): void {
  for (const row of rows) known.set(row.key, toSliceMarket(row))
  for (const key of wanted) {
    if (!known.has(key)) known.set(key, unknownMarket(conditionOf(key)))
  }
}
