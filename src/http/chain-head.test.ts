import type { FastifyPluginAsync } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { PROBE } from '../accounts/access.js'

const routes: FastifyPluginAsync = async (app) => {
  app.get('/of-chain', { config: { access: PROBE, dependsOnChain: true } }, async () => [])
  app.get('/of-us', { config: { access: PROBE } }, async () => [])
}

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ routes: [routes] })
})
afterAll(() => t.close())

const headOf = async (path: string) => {
  const { headers } = await t.app.inject(path)
  return [headers['x-head-block'], headers['x-head-age']]
}

test('an answer about the chain says how far that is booked and how old the block is', async () => {
  expect(await headOf('/of-chain')).toEqual(['0', undefined])
  t.ctx.chain.head = { block: 86_000_000, timeSec: t.clock.now() / 1000 - 2 }
  t.clock.advance(1_500)
  expect(await headOf('/of-chain')).toEqual(['86000000', '3'])
  expect(await headOf('/of-us')).toEqual([undefined, undefined])
})

test('a block from the future has no age below zero', async () => {
  t.ctx.chain.head.timeSec = t.clock.now() / 1000 + 60
  expect(await headOf('/of-chain')).toEqual(['86000000', '0'])
})
