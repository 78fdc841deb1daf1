import { Type } from 'typebox'
import { V3_HEAVY } from '../accounts/access.js'
import { badRequest } from '../core/errors.js'
import { createView, defineList } from '../http/list.js'
import { MarketFilters, Millionths, Slug } from '../http/parameters.js'
import { namedObject } from '../lib/named-object.js'
import { withMarkets } from '../lookups/market-block.js'
import { countTaggedMarkets, selectTagFilters, type TagFilter } from '../lookups/tag-filter.js'
import { presentTrade } from '../lookups/trades/present.js'
import { selectTrades, type TradeScope } from '../lookups/trades/queries.js'
import { Trade } from '../lookups/trades/schemas.js'
import {
  isSellSide,
  OwnerSide,
  resolveTrades,
  TRADE_PAGE,
  TradeFilters,
} from '../lookups/trades/trade-lists.js'
import type { Sql } from '../store/connection.js'
import { BUILDER_ERRORS, type FoundBuilder, findBuilder, presentProfile } from './find-builder.js'
import { BuilderRef, ProfileFields } from './schemas.js'

/** A tag with more markets, which have two tokens each, is too broad to filter by it alone. */
const TAGGED_MARKETS_MAX = 2_500

const NARROWING = ['market_slug', 'condition_id', 'token_id', 'after', 'before'] as const

type Scope = TradeScope & { found: FoundBuilder }

export const builderTrades = defineList({
  path: '/v3/builders/:code/trades',
  operationId: 'listBuilderTrades',
  summary: 'Trades through a builder',
  description:
    'The fills whose orders name the builder, newest first, each from the side of the owner of its order. A `category` or `tag_slug` with very many markets needs a market or a time beside it.',
  tag: 'builders',
  access: V3_HEAVY,
  narrowBy: NARROWING,
  errors: BUILDER_ERRORS,
  params: Type.Object({ code: BuilderRef }),
  query: Type.Object({
    ...TradeFilters,
    ...MarketFilters,
    side: OwnerSide,
    min_amount: Type.Optional(Millionths),
    category: Type.Optional(Slug),
    tag_slug: Type.Optional(Slug),
  }),
  page: { ...TRADE_PAGE, repeatsPath: false },
  resolve: async (sql, { code, side, ...filter }, { until }) => {
    const found = await findBuilder(sql, code)
    const tagged = await selectTagFilters(sql, filter)
    const isNarrow = NARROWING.some((name) => filter[name] !== undefined)
    if (!isNarrow) await refuseBroad(sql, tagged)
    const owner = { builder: found.id ?? undefined, isSell: isSellSide(side) }
    const scope = await resolveTrades(sql, filter, owner, until)
    return scope === undefined || found.id === null ? undefined : { ...scope, tagged, found }
  },
  view: createView({
    row: namedObject('BuilderTrade', { ...Trade.properties, ...ProfileFields }),
    select: (sql: Sql, scope: Scope, page) => selectTrades(sql, 'market', scope, page),
    keyOf: ({ seq }) => [seq],
    complete: async (sql, rows, { found }) =>
      (await withMarkets(sql, rows)).map((row) => ({ ...row, found })),
    present: (row) => ({ ...presentTrade(row), ...presentProfile(row.found) }),
  }),
  extra: {
    fields: { builder: Type.String(), ...ProfileFields },
    select: async (sql, { input, scope }) => {
      const found = scope?.found ?? (await findBuilder(sql, input.code))
      return { builder: found.code, ...presentProfile(found) }
    },
  },
})

async function refuseBroad(sql: Sql, filters: readonly TagFilter[]): Promise<void> {
  for (const filter of filters) {
    const count = await countTaggedMarkets(sql, filter, TAGGED_MARKETS_MAX + 1)
    if (count <= TAGGED_MARKETS_MAX) continue
    const name = filter.isCategory ? 'category' : 'tag_slug'
    throw badRequest(
      `Invalid ${name}: it has too many markets; leave out ${name}, or add one of ${NARROWING.join(', ')}.`,
    )
  }
}
