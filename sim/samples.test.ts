import { expect, test } from 'vitest'
import { chooseSamples } from './samples.js'
import type { Block } from './universe/block.js'
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
  expect(catalogue.series.map(({ id }) => id)).toContain(samples.series_id)
  expect(catalogue.comboByCondition(samples.combo_condition_id)).toBeDefined()
})

test('the combo of half a day is traded, held and redeemed', () => {
  const universe = new Universe({ seed: 1, startMs: START_MS })
  universe.advance(START_MS + 12 * 3_600_000)
  const { catalogue, chain, settledActs } = universe
  const combo = catalogue.comboByCondition(chooseSamples(universe).combo_condition_id)
  if (combo === undefined) throw new Error('there is no combo')
  expect(combo.legs.length).toBeGreaterThan(1)
  expect(settledActs.ofMarket(combo).length).toBeGreaterThan(0)
  expect(combo.tokens.some((token) => settledActs.holders(token).size > 0)).toBe(true)
  const isRedeemed = ({ transactions }: Block) =>
    transactions.some(({ act }) => act.kind === 'redeemCombo' && act.token.of === combo)
  const numbers = Array.from({ length: chain.head.number - chain.firstNumber }, (_, index) => index)
  const blocks = numbers.flatMap((index) => chain.block(chain.firstNumber + index) ?? [])
  expect(blocks.some(isRedeemed)).toBe(true)
})

test('a universe that has only begun has samples too', () => {
  const universe = new Universe({ seed: 2, startMs: START_MS })
  universe.advance(START_MS + 2_000)
  const { wallet, token_id } = chooseSamples(universe)
  expect(universe.walletByAddress(wallet)).toBeDefined()
  expect(universe.catalogue.token(token_id)).toBeDefined()
})
