import { expect, test } from 'vitest'
import { chooseSamples } from './samples.js'
import { Universe } from './universe/universe.js'

const START_MS = Date.UTC(2026, 10, 12, 6)

test('everything in the samples exists and belongs together', () => {
  const universe = new Universe({ seed: 2, startMs: START_MS, intensity: 4, hasGames: true })
  universe.advance(START_MS + 3_600_000)
  const samples = chooseSamples(universe)
  const { catalogue, settledActs, builders, nowMs } = universe

  const wallet = universe.walletByAddress(samples.wallet)
  expect(wallet && settledActs.ofWallet(wallet).length).toBeGreaterThan(5)
  const market = catalogue.marketBySlug(samples.market_slug)
  expect(market?.endMs).toBeGreaterThan(nowMs)
  expect(catalogue.token(samples.token_id)?.of).toBe(market)
  expect(catalogue.marketByCondition(samples.condition_id)).toBe(market)
  expect(catalogue.eventBySlug(samples.event_slug)).toBe(market?.event)
  expect(market?.event.tags.map(({ slug }) => slug)).toContain(samples.tag)
  expect(builders.map(({ code }) => code)).toContain(samples.builder)
  const game = catalogue.eventBySlug(samples.game_slug)?.game
  expect(game && universe.gameState(game).live).toBe(true)
  expect(game?.league.code).toBe(samples.league)
  expect(catalogue.eventById(samples.game_event_id)?.game).toBe(game)
  expect(catalogue.marketById(samples.game_market_id)?.event.game).toBe(game)
  expect(catalogue.comboByCondition(samples.combo_condition_id)).toBeDefined()
})

test('a universe that has only begun has samples too', () => {
  const universe = new Universe({ seed: 2, startMs: START_MS })
  universe.advance(START_MS + 2_000)
  const { wallet, token_id } = chooseSamples(universe)
  expect(universe.walletByAddress(wallet)).toBeDefined()
  expect(universe.catalogue.token(token_id)).toBeDefined()
})
