import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { ConditionId, TimeBounds } from '../../http/parameters.js'
import { MillisecondsText, UtcText } from '../../http/row-fields.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { selectSeqRange } from '../../lookups/seq-range.js'
import { selectMarketsOfConditions } from '../listing/queries.js'
import { Category, EndDate, Liquidity, TagLabels, Volume, WinningOutcome } from '../listing/schemas.js'
import { presentCondition, presentResolution } from './present.js'
import { selectCondition, selectResolutions } from './queries.js'

const Numerators = Type.Array(Type.Integer({ minimum: 0 }), {
  description: 'the part of each outcome',
})
const Question = {
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  outcomes: nullable(Type.Array(Type.String())),
}

export const conditionInfo = defineAnswer({
  path: '/v3/conditions/:condition_id',
  operationId: 'getCondition',
  summary: 'A condition',
  description:
    'What the chain has of a condition, and its market. Before the result all numerators are 0, and the denominator too. Fields of the market are null when the catalogue does not have it.',
  tag: 'markets',
  access: V3,
  errors: { 404: errorReply('Neither the chain nor the catalogue has the condition') },
  params: Type.Object({ condition_id: ConditionId }),
  reply: namedObject('Condition', {
    id: Type.String(),
    position_ids: Type.Array(Type.String(), { description: 'outcome tokens, by outcome' }),
    payout_numerators: Numerators,
    payout_denominator: Type.String({ description: 'the sum of the numerators' }),
    ...Question,
    end_date: EndDate,
    active: nullable(Type.Boolean()),
    closed: nullable(Type.Boolean()),
    neg_risk: nullable(Type.Boolean()),
    event_slug: nullable(Type.String()),
    event_title: nullable(Type.String()),
    category: Category,
    liquidity: nullable(Liquidity),
    volume: nullable(Volume),
    tags: TagLabels,
    winning_outcome_index: WinningOutcome,
  }),
  answer: async ({ sql }, { condition_id: id }) => {
    const [chain, markets] = await Promise.all([
      selectCondition(sql, id),
      selectMarketsOfConditions(sql, [id]),
    ])
    const market = markets.get(id)
    if (chain === undefined && market === undefined) throw notFound()
    return presentCondition(id, chain, market)
  },
})

export const resolutions = defineList({
  path: '/v3/resolutions',
  operationId: 'listResolutions',
  summary: 'Results of conditions',
  description: 'The results that the chain reports, newest first, with the market of each.',
  tag: 'markets',
  access: V3,
  narrowBy: ['condition_id', 'after', 'before'],
  params: Type.Object({}),
  query: Type.Object({ ...TimeBounds, condition_id: Type.Optional(ConditionId) }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: namedObject('Resolution', {
      condition_id: Type.String(),
      payout_numerators: Numerators,
      payout_denominator: Type.Integer({ minimum: 0, description: 'the sum of the numerators' }),
      resolved_at: MillisecondsText('Unix milliseconds of the block'),
      created_at: UtcText({ examples: ['2026-11-15 12:00:00.000000'] }),
      ...Question,
      category: Category,
    }),
    select: selectResolutions,
    keyOf: ({ seq }) => [seq],
    present: presentResolution,
  }),
  resolve: async (sql, { condition_id: condition, ...times }, { until }) => {
    const range = await selectSeqRange(sql, times, until)
    return range === undefined ? undefined : { ...range, condition }
  },
})

export const conditionRoutes = endpointRoutes([conditionInfo, resolutions])
