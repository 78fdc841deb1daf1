import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectOnlyParseErrors } from '../../../test/spoiled-objects.js'
import { parseCandles, parseCryptoPrice } from './parse.js'

const answers = JSON.parse(readFileSync(new URL('fixtures/answers.json', import.meta.url), 'utf8'))

test('the price of a window, running and finished', () => {
  expect(parseCryptoPrice(answers.running, 'body')).toMatchObject({
    openPrice: 3120.55,
    closePrice: undefined,
    completed: false,
  })
  expect(parseCryptoPrice(answers.finished, 'body')).toEqual({
    openPrice: 3120.55,
    closePrice: 3121.01,
    completed: true,
  })
})

test('candles come out oldest first', () => {
  expect(parseCandles(answers.candles, 'body').map(({ timeSec }) => timeSec)).toEqual([
    1_791_000_000, 1_791_000_300,
  ])
})

test('whatever comes, nothing but a ParseError is thrown', () => {
  const parsers = [parseCryptoPrice, parseCandles]
  const whole = { ...answers.finished, ...answers.candles }
  expectOnlyParseErrors(parsers, whole)
})
