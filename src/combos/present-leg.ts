import type { Static } from 'typebox'
import { toTokenId } from '../core/ids.js'
import { toConditionId } from '../core/structured-id.js'
import { toIsoTime } from '../core/unix-time.js'
import type { LegRow } from './leg-queries.js'
import type { Leg } from './schemas.js'

export type LegStatus = 'OPEN' | 'RESOLVED_WIN' | 'RESOLVED_LOSS' | 'RESOLVED_PARTIAL'

export function presentLeg(leg: LegRow): Static<typeof Leg> {
  const status = legStatusOf(leg)
  return {
    leg_index: leg.place,
    leg_position_id: toTokenId(leg.token),
    leg_condition_id: toConditionId(leg.token),
    leg_outcome_index: leg.outcome,
    leg_status: status,
    leg_result: RESULTS[status],
    leg_resolved_at: leg.resolvedSec === null ? null : toIsoTime(leg.resolvedSec),
    leg_current_price: leg.price,
    leg_price_source: leg.priceSource,
    ...(leg.marketId !== null && presentLegMarket(leg, leg.marketId)),
  }
}

/** Old names of some fields stand beside the object that has them all. */
function presentLegMarket(leg: LegRow, marketId: number) {
  const { slug, title, outcomeLabel, eventId, eventSlug, eventTitle, eventImage } = leg
  return {
    leg_outcome_label: outcomeLabel,
    market_token_id: leg.marketToken === null ? null : toTokenId(leg.marketToken),
    market_slug: slug,
    market_title: title,
    event_title: eventTitle,
    market: {
      market_id: `${marketId}`,
      slug,
      title,
      outcome: outcomeLabel,
      image_url: leg.image,
      icon_url: leg.icon,
      category: leg.category,
      subcategory: null,
      tags: leg.tags ?? [],
      end_date: leg.endAt?.toISOString() ?? null,
      active: leg.active,
      closed: leg.closed,
      accepting_orders: leg.acceptingOrders,
      resolved: leg.numerator !== null || leg.winner !== null,
      winning_outcome_index: leg.winner,
      event_title: eventTitle,
      event: {
        event_id: eventId === null ? null : `${eventId}`,
        event_slug: eventSlug,
        event_title: eventTitle,
        event_image: eventImage,
      },
    },
  }
}

/** What the result of a leg makes of it. */
export function legStatusOf({
  numerator,
  denominator,
}: Pick<LegRow, 'numerator' | 'denominator'>): LegStatus {
  if (numerator === null) return 'OPEN'
  if (numerator === '0') return 'RESOLVED_LOSS'
  return numerator === denominator ? 'RESOLVED_WIN' : 'RESOLVED_PARTIAL'
}

const RESULTS: Record<LegStatus, string> = {
  OPEN: 'pending',
  RESOLVED_WIN: 'won',
  RESOLVED_LOSS: 'lost',
  RESOLVED_PARTIAL: 'resolved',
}
