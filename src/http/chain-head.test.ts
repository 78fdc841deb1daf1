import type { FastifyPluginAsync } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp, jobOf, type TestApp } from '../../test/test-app.js'
import { PROBE } from '../accounts/access.js'
import { createChainStatus } from '../core/chain-status.js'

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

describe('a process that has just started', () => {
  beforeEach(() => {
    t.ctx.chain.head = createChainStatus().head
  })

  test('names the block of the database, not block 0', async () => {
    const timeSec = Math.floor(t.clock.now() / 1000) - 5
    await t.ctx.sql`update chain_state set block = 86000001, block_time = ${timeSec}`
    expect(await headOf('/of-chain')).toEqual(['86000001', '5'])
    await jobOf(t.domains, 'chain status').run(new AbortController().signal)
    await t.ctx.sql`update chain_state set block = 86000002`
    expect(await headOf('/of-chain')).toEqual(['86000001', '5'])
  })

  test('names block 0 where nothing is booked', async () => {
    await t.ctx.sql`update chain_state set block = null, block_time = null`
    expect(await headOf('/of-chain')).toEqual(['0', undefined])
  })

  test('names none in an answer that it gives before it has read the block', async () => {
    const reply = await t.app.inject({ url: '/of-chain', headers: { 'x-head-block': 'latest' } })
    expect(reply.statusCode).toBe(400)
    expect(reply.headers).not.toHaveProperty('x-head-block')
  })
})
