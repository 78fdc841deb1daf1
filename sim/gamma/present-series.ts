import { databaseTime, isoTime } from '../markets/amounts.js'
import type { MarketEvent, Series } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { eventClosedMs, isEventClosed } from './life.js'
import { presentGame } from './present-game.js'
import { presentTag } from './present-tag.js'

const IMAGES = 'https://polymarket-upload.s3.us-east-2.amazonaws.com'

/** A series as it hangs on its events: without events of its own. */
export const presentSeries = (series: Series) => ({
  id: series.id,
  ticker: series.slug,
  slug: series.slug,
  title: series.title,
  subtitle: '',
  seriesType: 'single',
  recurrence: series.recurrence,
  image: `${IMAGES}/${series.slug}.png`,
  icon: `${IMAGES}/${series.slug}.png`,
  layout: 'default',
  active: true,
  closed: false,
  archived: false,
  new: false,
  featured: false,
  restricted: true,
  commentsEnabled: false,
  competitive: '0',
  publishedAt: databaseTime(series.createdMs),
  createdAt: isoTime(series.createdMs),
  updatedAt: isoTime(series.createdMs),
  startDate: isoTime(series.createdMs),
  commentCount: 0,
})

type SeriesFigures = { volume: number; volume24hr: number; liquidity: number }

/** A series as its own page shows it. */
export const presentFullSeries = (series: Series, figures: SeriesFigures) => ({
  ...presentSeries(series),
  ...figures,
  tags: series.tags.map(presentTag),
  categories: [],
  collections: [],
  chats: [],
})

/** An event in the list of its series: who it is and when, not what is in it. */
export function presentSeriesEvent(universe: Universe, event: MarketEvent): object {
  const closed = isEventClosed(universe, event)
  return {
    id: event.id,
    ticker: event.slug,
    slug: event.slug,
    title: event.title,
    startDate: isoTime(event.createdMs),
    creationDate: isoTime(event.createdMs),
    endDate: isoTime(event.endMs),
    image: event.image,
    icon: event.image,
    active: true,
    closed,
    archived: false,
    restricted: true,
    ...(closed ? { closedTime: isoTime(eventClosedMs(event)) } : {}),
    ...presentGame(universe, event),
  }
}
