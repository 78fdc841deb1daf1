import { databaseTime, isoTime } from '../markets/amounts.js'
import { isListed } from '../markets/market-state.js'
import { isAnsweredByFeed, type Market, type MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { type Figures, readFigures, sumFigures } from './figures.js'
import { eventClosedMs, isEventClosed, isNew, windowPrices } from './life.js'
import { presentGame } from './present-game.js'
import { presentMarket } from './present-market.js'
import { presentSeries } from './present-series.js'
import { presentTag } from './present-tag.js'

const TRADES_PER_COMMENT = 40
const FEATURED_POPULARITY_MIN = 40

export function presentEvent(universe: Universe, event: MarketEvent): object {
  const figures = event.markets.map((market) => readFigures(universe, market))
  return Object.assign(presentBareEvent(universe, event, figures), {
    markets: event.markets.map((market, index) => presentMarket(universe, market, figures[index])),
  })
}

/** Markets as their lists have them: each with its event, whose figures are read once per list. */
export function createMarketPresenter(universe: Universe): (market: Market) => object {
  const known = new Map<MarketEvent, Figures[]>()
  return (market) => {
    const { event } = market
    const figures = known.get(event) ?? event.markets.map((sibling) => readFigures(universe, sibling))
    known.set(event, figures)
    return Object.assign(presentMarket(universe, market, figures[market.index]), {
      events: [presentBareEvent(universe, event, figures)],
    })
  }
}

/** All of an event but its markets. */
function presentBareEvent(universe: Universe, event: MarketEvent, figures: readonly Figures[]) {
  const { series } = event
  const metadata = windowPrices(universe, event)
  return Object.assign(
    presentIdentity(event),
    presentDates(universe, event),
    presentState(universe, event, figures),
    presentSums(figures),
    series === undefined ? {} : { seriesSlug: series.slug, series: [presentSeries(series)] },
    { tags: event.tags.map(presentTag) },
    metadata === undefined ? {} : { eventMetadata: metadata },
    presentGame(universe, event),
  )
}

const presentIdentity = (event: MarketEvent) => ({
  id: event.id,
  ticker: event.slug,
  slug: event.slug,
  title: event.title,
  subtitle: '',
  description: event.description,
  resolutionSource: event.resolutionSource,
  category: event.category,
  image: event.image,
  icon: event.image,
  version: 'v1',
})

function presentDates(universe: Universe, event: MarketEvent) {
  const { createdMs, endMs, window } = event
  const closedMs = isEventClosed(universe, event) ? eventClosedMs(event) : undefined
  return {
    startDate: isoTime(createdMs),
    creationDate: isoTime(createdMs),
    endDate: isoTime(endMs),
    ...(window === undefined ? {} : { startTime: isoTime(window.startMs) }),
    ...(closedMs === undefined ? {} : { closedTime: isoTime(closedMs) }),
    published_at: databaseTime(createdMs),
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(closedMs ?? universe.nowMs),
  }
}

function presentState(universe: Universe, event: MarketEvent, figures: readonly Figures[]) {
  const { negRisk, window, markets } = event
  return {
    active: true,
    closed: isEventClosed(universe, event),
    archived: false,
    new: isNew(universe, event),
    featured: isFeatured(event),
    restricted: true,
    cyom: false,
    automaticallyActive: true,
    automaticallyResolved: isAnsweredByFeed(event),
    pendingDeployment: false,
    deploying: false,
    enableOrderBook: markets.some((market, index) => isListed(universe, market, figures[index]?.book)),
    negRisk: negRisk !== undefined,
    enableNegRisk: negRisk !== undefined,
    negRiskAugmented: false,
    ...(negRisk === undefined ? {} : { negRiskMarketID: negRisk.marketId, negRiskFeeBips: negRisk.feeBips }),
    cumulativeMarkets: negRisk === undefined && markets.length > 1,
    showAllOutcomes: true,
    showMarketImages: window === undefined,
    sortBy: markets.length > 1 ? 'price' : '',
    externalPartners: [],
    cantEstimate: false,
  }
}

/** On the front page: the big questions, never a window. */
export const isFeatured = ({ window, markets }: MarketEvent): boolean =>
  window === undefined && markets.some(({ popularity }) => popularity >= FEATURED_POPULARITY_MIN)

function presentSums(figures: readonly Figures[]) {
  const { trades, ...sums } = sumFigures(figures)
  return {
    ...sums,
    liquidityClob: sums.liquidity,
    commentCount: Math.floor(trades / TRADES_PER_COMMENT),
    tweetCount: 0,
  }
}
