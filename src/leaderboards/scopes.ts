import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import type { Page } from '../core/page.js'
import { createView, defineList } from '../http/list.js'
import { ERROR_CODE } from '../http/validation.js'
import { requireBoard } from '../lookups/board.js'
import type { Sql } from '../store/connection.js'
import { presentScope } from './present.js'
import { countScopes, type ScopeSearch, selectBoardSnapshot, selectScopes } from './queries.js'
import { BOARD_ERRORS, ListedScope, PERIOD_DAYS, ScopesEnvelope, ScopesQuery } from './schemas.js'

const LIMIT_MAX = 200
/** Rows that a page may pass over. */
const OFFSET_MAX = 10_000

type ListedScopes = ScopeSearch & { asOfSec: number }

export const leaderboardScopes = defineList({
  path: '/v3/leaderboard/scopes',
  operationId: 'listLeaderboardScopes',
  summary: 'Categories or tags that have a rolling leaderboard',
  description:
    'The categories or tags in which a wallet realized a profit or a loss in the period, those of most wallets first, then by name. `value` is what `category` or `tags` of `/v3/leaderboard` takes.',
  tag: 'leaderboards',
  access: V3,
  errors: { 503: BOARD_ERRORS[503] },
  params: Type.Object({}),
  query: ScopesQuery,
  page: {
    name: 'scopes',
    limitMax: LIMIT_MAX,
    hasCursors: false,
    offset: { minimum: 0, maximum: OFFSET_MAX, [ERROR_CODE]: 'scope_offset_too_deep' },
  },
  readsOneSnapshot: true,
  resolve: async (sql, { period, scope, q = '' }): Promise<ListedScopes> => {
    const { asOfSec } = requireBoard(await selectBoardSnapshot(sql))
    return { days: PERIOD_DAYS[period], kind: scope, query: q.toLowerCase(), asOfSec }
  },
  view: createView({
    row: ListedScope,
    // A page that no offset reaches is none.
    select: (sql: Sql, scope: ListedScopes, page: Page) =>
      selectScopes(sql, scope, {
        ...page,
        limit: page.offset + page.limit - 1 > OFFSET_MAX ? page.limit - 1 : page.limit,
      }),
    keyOf: ({ value }) => [value],
    present: presentScope,
  }),
  extra: {
    fields: ScopesEnvelope,
    select: async (sql, { input, scope, rows }) => {
      if (scope === undefined) throw new Error('every search has a period')
      return {
        count: rows.length,
        total_count: await countScopes(sql, scope),
        period: input.period,
        scope: input.scope,
        query: scope.query === '' ? null : scope.query,
        as_of: scope.asOfSec,
      }
    },
  },
})
