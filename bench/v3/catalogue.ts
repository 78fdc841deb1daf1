import { joinSearchTexts, wordsOf } from '../../src/lookups/search-text.js'
import { replaceTagCounts } from '../../src/markets/tags/queries.js'
import type { Pool } from '../../src/store/connection.js'
import { transact } from '../../src/store/transaction.js'
import type { Step } from './facts.js'
import { BUILDERS } from './size.js'

const TOPICS = [
  'election',
  'bitcoin',
  'ethereum',
  'senate',
  'inflation',
  'champions',
  'playoffs',
  'rates',
  'hurricane',
  'oscars',
  'treaty',
  'launch',
  'merger',
  'recession',
  'tariffs',
  'referendum',
]
const VERBS = ['pass', 'win', 'reach', 'fall below', 'happen before', 'survive until']
const PLACES = ['Ohio', 'France', 'Brazil', 'Japan', 'Texas', 'Kenya', 'Norway', 'India', 'Peru']
const MONTHS = ['January', 'March', 'May', 'July', 'September', 'November']

const pick = (words: readonly string[], of: string): string =>
  `(array[${words.map((word) => `'${word}'`).join()}])[1 + (${of}) % ${words.length}]`

const QUESTION = `
  'Will the ' || ${pick(TOPICS, 'number')} || ' in ' || ${pick(PLACES, 'number / 7')} || ' '
  || ${pick(VERBS, 'number / 3')} || ' ' || ${pick(MONTHS, 'number / 11')} || ' ' || number || '?'`

const SLUG = `trim(both '-' from regexp_replace(lower(${QUESTION}), '[^a-z0-9]+', '-', 'g'))`

/** A market for each condition, two of an event; combos have none. */
const INSERT_CATALOGUE = `
  insert into tags (id, slug, label)
  select 1 + ordinality, word, initcap(word)
    from unnest(array[${TOPICS.map((topic) => `'${topic}'`).join()}]) with ordinality as words (word);
  create unlogged table bench_markets as
  select number as id, (number + 1) / 2 as event, ${QUESTION} as question, ${SLUG} as slug,
         result_block is not null as is_over, c.condition,
         (select array_agg(token order by outcome) from tokens where condition = number) as tokens,
         (select array_agg(id order by outcome) from tokens where condition = number) as token_ids,
         to_timestamp(start.time) as begun_at, to_timestamp(finish.time) as closed_at
    from (select condition as number, from_block, result_block
            from bench_conditions where not is_combo) as b
    join conditions as c on c.id = number
    join (select number as block, time from blocks) as start on start.block = from_block
    left join (select number as block, time from blocks) as finish on finish.block = result_block;
  insert into events (id, slug, title, first_seen, active, closed, archived, neg_risk, start_at,
                      created_at, end_at, market_count, volume, liquidity, category)
  select event, min(slug) || '-event', min(question), min(begun_at), true, bool_and(is_over), false,
         false, min(begun_at), min(begun_at), max(coalesce(closed_at, begun_at + interval '1 year')),
         count(*),
         (select sum(volume) / 1e6 from token_totals
           where token = any(array[4 * event - 3, 4 * event - 2, 4 * event - 1, 4 * event])),
         1000, 'World'
    from bench_markets
   group by event;
  insert into event_tags (event, tag, place)
  select distinct event, 2 + event % ${TOPICS.length}, 0 from bench_markets;
  insert into markets (id, event, first_seen, active, closed, archived, neg_risk, accepting_orders,
                       enable_order_book, start_at, created_at, end_at, closed_at, volume, liquidity,
                       tick_size, condition, slug, question, category, outcomes, tokens)
  select id, event, begun_at, true, is_over, false, false, not is_over, true, begun_at, begun_at,
         coalesce(closed_at, begun_at + interval '1 year'), closed_at,
         (select sum(volume) / 1e6 from token_totals where token = any(token_ids)), 500, 0.01,
         condition, slug, question, 'World', '{Yes,No}', tokens
    from bench_markets;
  insert into market_tokens (token, market, outcome)
  select token, id, ordinality - 1
    from bench_markets
   cross join lateral unnest(tokens) with ordinality as given (token);
  update catalogue_state
     set phase = 'done', events = (select count(*) from events),
         markets = (select count(*) from markets);
  drop table bench_markets;
  insert into builder_profiles (code, name, verified, read_at)
  select code, 'Builder ' || id, id % 2 = 0, now() from builders where id <= ${BUILDERS}`

/** Texts per statement. */
const TEXTS_MAX = 10_000

async function insertTexts(pool: Pool): Promise<void> {
  const markets = await pool<Named[]>`
    select m.id, m.question, m.slug, e.title from markets m join events e on e.id = m.event`
  const events = await pool<Named[]>`select id, null as question, slug, title from events`
  const words = new Set<string>()
  const toTexts = (named: readonly Named[]) =>
    named.map(({ id, question, slug, title }) => {
      const text = joinSearchTexts(question === null ? [title, slug] : [question, slug, title])
      for (const word of wordsOf(text)) words.add(word)
      return { id, text }
    })
  await insertInto(pool, 'market_texts', toTexts(markets))
  await pool`
    update market_texts t set volume = m.volume from markets m where m.id = t.market`
  await insertInto(pool, 'event_texts', toTexts(events))
  await pool`insert into search_words select unnest(${[...words]}::text[])`
  await transact(pool, replaceTagCounts)
}

type Named = { id: number; question: string | null; slug: string; title: string }

async function insertInto(
  pool: Pool,
  table: 'market_texts' | 'event_texts',
  texts: readonly { id: number; text: string }[],
): Promise<void> {
  for (let start = 0; start < texts.length; start += TEXTS_MAX) {
    const some = texts.slice(start, start + TEXTS_MAX)
    await pool`
      insert into ${pool(table)} (${pool(table === 'market_texts' ? 'market' : 'event')}, text)
      select * from unnest(${some.map(({ id }) => id)}::integer[],
                           ${some.map(({ text }) => text)}::text[])`
  }
}

export const CATALOGUE_STEPS: readonly Step[] = [
  { name: 'catalogue', query: () => INSERT_CATALOGUE },
  { name: 'texts of the catalogue', run: insertTexts },
]
