import { type Static, Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { defineAnswer } from '../../http/answer.js'
import { oneOf } from '../../http/parameters.js'
import { clampCount } from '../../lib/clamp-count.js'
import { namedObject } from '../../lib/named-object.js'
import { type CountedTagRow, selectCountedTags } from './queries.js'

const TAGS_MAX = 10_000
const CACHE_MS = 60_000

const TagDetail = namedObject('TagDetail', {
  slug: Type.String(),
  markets: Type.Integer({ minimum: 1, description: 'markets that have the tag' }),
  events: Type.Integer({ minimum: 1, description: 'their events' }),
  first_seen_at: Type.Integer({
    description: 'when the first of the markets was created, Unix seconds',
  }),
  last_seen_at: Type.Integer({ description: 'when the last of them was created, Unix seconds' }),
})

const TagsReply = Type.Object({
  count: Type.Integer({ minimum: 0, description: 'tags in the answer' }),
  tags: Type.Union([Type.Array(Type.String()), Type.Array(TagDetail)], {
    description: 'slugs; with `details` an object for each',
  }),
})

/** GET /v2/onchain/tags */
export const onchainTags = defineAnswer({
  path: '/v2/onchain/tags',
  operationId: 'listOnchainTags',
  summary: 'Slugs of tags',
  description:
    'Slugs of the tags that a market has, counted every hour. Slugs keep the case of the platform.',
  tag: 'markets',
  access: STANDARD,
  dependsOnChain: false,
  hasElapsed: false,
  cacheMs: CACHE_MS,
  query: Type.Object({
    details: Type.Boolean({ default: false, description: 'counts and times of each tag' }),
    prefix: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: '^[^\\u0000]*$',
        description: 'what the slug begins with, in the same case',
      }),
    ),
    min_markets: Type.Integer({
      minimum: 0,
      maximum: 2 ** 31 - 1,
      default: 0,
      description: 'leaves out tags with fewer markets',
    }),
    sort: oneOf(['popularity', 'alpha'], '`popularity` has the tags of most markets first', {
      default: 'popularity',
    }),
    limit: Type.Integer({
      default: TAGS_MAX,
      description: `tags in the answer, at most ${TAGS_MAX}`,
    }),
  }),
  reply: TagsReply,
  answer: async ({ sql }, { details, limit, ...filter }) => {
    const rows = await selectCountedTags(sql, {
      prefix: filter.prefix ?? '',
      marketsMin: filter.min_markets,
      sort: filter.sort,
      limit: clampCount(limit, TAGS_MAX),
    })
    const tags = details ? rows.map(presentTag) : rows.map(({ slug }) => slug)
    return { count: rows.length, tags }
  },
})

const presentTag = (row: CountedTagRow): Static<typeof TagDetail> => ({
  slug: row.slug,
  markets: row.markets,
  events: row.events,
  first_seen_at: row.firstSec,
  last_seen_at: row.lastSec,
})
