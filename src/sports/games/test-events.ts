import { type GammaEvent, parseEvent } from '../../upstreams/gamma/parse.js'

/** An event as Gamma sends it, with as much of it as a test needs. */
export const makeEvent = (fields: object): GammaEvent =>
  parseEvent({ id: '1', slug: 'nba-atl-orl-2026-11-16', gameId: 7, ...fields }, 'event')

export const makeMarket = (fields: object) => ({
  id: '1',
  question: 'Hawks vs. Magic',
  outcomes: '["Hawks", "Magic"]',
  outcomePrices: '["0.4", "0.6"]',
  clobTokenIds: '["11", "12"]',
  sportsMarketType: 'moneyline',
  acceptingOrders: true,
  ...fields,
})
