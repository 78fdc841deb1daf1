import { toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import { SELECTOR } from './selectors.js'
import { FUNCTIONS, SIGNATURES } from './test-abi.js'
import { TOPIC } from './topics.js'

describe('topics', () => {
  test.each(Object.entries(TOPIC))('%s is the hash of its signature', (name, topic) => {
    const signature = SIGNATURES[name as keyof typeof TOPIC]
    expect(toEventSelector(signature)).toBe(topic)
  })

  test('the events that have public vectors carry their hashes', () => {
    const published = Object.values(vectors.events).flat()
    const known = new Map(published.map(({ topic0, signature }) => [topic0, signature]))
    for (const [name, topic] of Object.entries(TOPIC)) {
      const signature = known.get(topic)
      if (signature === undefined) continue
      expect(toEventSelector(signature), name).toBe(topic)
    }
  })
})

test.each(Object.entries(SELECTOR))('selector of %s', (name, selector) => {
  expect(toFunctionSelector(FUNCTIONS[name as keyof typeof SELECTOR])).toBe(selector)
})
