import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost, type Port } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { openControl } from './control.js'

const START_MS = Date.UTC(2026, 10, 14, 12)

let nowMs = Date.UTC(2026, 10, 15)
const faults = new Faults(() => nowMs)
const universe = new Universe({ seed: 3, startMs: START_MS })
let host: Host
let control: Port
beforeAll(async () => {
  universe.advance(START_MS + 10 * 60_000)
  host = await openHost('gamma', faults, { http: () => ({ status: 200, body: 'fine' }) })
  control = await openControl({ universe, faults, hosts: [host] })
})
afterAll(() => Promise.all([host.close(), control.close()]))

const get = async (path: string) => (await fetch(`${control.url}${path}`)).json()
const post = (body: unknown) =>
  fetch(`${control.url}/faults`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('GET /', () => {
  test('200: describes the universe and where its hosts are', async () => {
    expect(await get('/')).toMatchObject({
      seed: 3,
      head: universe.chain.head.number,
      hosts: { gamma: { url: host.url, ws_url: host.wsUrl } },
    })
  })

  test('404: elsewhere, with the paths there are', async () => {
    const reply = await fetch(`${control.url}/fault`)
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ paths: expect.arrayContaining(['POST /faults']) })
  })
})

describe('POST /faults', () => {
  test('200: breaks a host for a while', async () => {
    const reply = await post({ upstream: 'gamma', mode: '500', seconds: 10, rate: 1 })
    expect(reply.status).toBe(200)
    expect(await get('/faults')).toEqual({
      faults: { gamma: [{ mode: '500', until: '2026-11-15T00:00:10.000Z', rate: 1 }] },
    })
    expect((await fetch(host.url)).status).toBe(500)
    nowMs += 10_000
    expect((await fetch(host.url)).status).toBe(200)
    expect(await get('/faults')).toEqual({ faults: {} })
  })

  test('200: the control port itself stays well when everything is broken', async () => {
    await post({ upstream: '*', mode: 'drop' })
    await expect(fetch(host.url)).rejects.toThrow()
    expect((await post({ upstream: '*', mode: 'off' })).status).toBe(200)
    expect((await fetch(host.url)).status).toBe(200)
  })

  test('200: a reorg replaces the last blocks once', async () => {
    const { chain } = universe
    const numbers = [0, 1, 2, 3].map((back) => chain.head.number - back)
    const hashes = () =>
      numbers.map((number) => {
        const block = chain.block(number)
        return block === undefined ? undefined : chain.hashOf(block)
      })
    const before = hashes()
    expect((await post({ reorg: 3 })).status).toBe(200)
    const after = hashes()
    expect(after.map((hash, index) => hash === before[index])).toEqual([false, false, false, true])
  })

  test.each([
    ['body', 'nonsense'],
    ['body', '[]'],
    ['body', 'null'],
    ['reorg', { reorg: 0 }],
    ['reorg', { reorg: 129 }],
    ['reorg', { reorg: 1.5 }],
    ['reorg', { reorg: '5' }],
    ['mode', { reorg: 5, mode: 'off' }],
    ['upstream', { upstream: 'kalshi', mode: 'off' }],
    ['mode', { upstream: 'gamma', mode: 'sad' }],
    ['seconds', { upstream: 'gamma', mode: '500', seconds: '10' }],
    ['rate', { upstream: 'gamma', mode: '500', rate: 2 }],
    ['blocks', { upstream: 'polygon', mode: 'head-back', blocks: 1.5 }],
    ['blocks', { upstream: 'polygon', mode: 'two-nodes', blocks: 129 }],
  ])('400: a wrong %s: %j', async (field, body) => {
    const reply = await post(body)
    expect(reply.status).toBe(400)
    expect(await reply.json()).toEqual({
      error: expect.stringContaining(field),
      field,
      allowed: expect.anything(),
    })
    expect(await get('/faults')).toEqual({ faults: {} })
  })
})
