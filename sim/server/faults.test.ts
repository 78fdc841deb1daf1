import { describe, expect, test } from 'vitest'
import { FAULT_MODES, FaultOrderError, HOST_NAMES, parseFaultOrder } from './fault-order.js'
import { Faults } from './faults.js'

describe('Faults', () => {
  test('a fault ends after its seconds, one without stays until off', () => {
    let nowMs = 1_000
    const faults = new Faults(() => nowMs)
    faults.set({ upstream: 'gamma', mode: '429', seconds: 10 })
    faults.set({ upstream: 'gamma', mode: 'slow' })
    expect(faults.active('gamma')).toEqual(['429', 'slow'])
    nowMs += 10_000
    expect(faults.active('gamma')).toEqual(['slow'])
    faults.set({ upstream: 'gamma', mode: 'off' })
    expect(faults.all()).toEqual([])
  })

  test('* is every host, and off ends them all', () => {
    const faults = new Faults()
    faults.set({ upstream: '*', mode: 'drop' })
    expect(faults.all().map(({ name }) => name)).toEqual(HOST_NAMES)
    faults.set({ upstream: '*', mode: 'off' })
    expect(faults.all()).toEqual([])
  })

  test.each([
    [0, 0],
    [0.25, 25],
    [1 / 3, 33],
    [1, 100],
  ])('a rate of %f hits %i of 100, evenly', (rate, expected) => {
    const faults = new Faults()
    faults.set({ upstream: 'clob', mode: '500', rate })
    const hits = Array.from({ length: 100 }, () => faults.of('clob').hits('500'))
    expect(hits.filter(Boolean)).toHaveLength(expected)
    const firstHalf = hits.slice(0, 50).filter(Boolean).length
    expect(Math.abs(firstHalf - expected / 2)).toBeLessThanOrEqual(1)
  })

  test('missed heads hit every other block unless the order has a rate', () => {
    const faults = new Faults()
    faults.set({ upstream: 'polygon', mode: 'missed-heads' })
    const hits = Array.from({ length: 6 }, () => faults.of('polygon').hits('missed-heads'))
    expect(hits).toEqual([false, true, false, true, false, true])
  })

  test('a fault of a path hits what begins with it, beside faults of other paths', () => {
    const faults = new Faults()
    faults.set({ upstream: 'gamma', mode: '500', path: '/events/keyset' })
    faults.set({ upstream: 'gamma', mode: '500', path: '/series' })
    const gamma = faults.of('gamma')
    const hit = ['/events/keyset', '/events/keyset/1', '/series/7', '/events', '/'].map((path) =>
      gamma.hits('500', path),
    )
    expect(hit).toEqual([true, true, true, false, false])
    expect(gamma.hits('500')).toBe(false)
    expect(gamma.list().map(({ path }) => path)).toEqual(['/events/keyset', '/series'])
  })

  test('the clock of a host is wrong only while the fault is on', () => {
    const faults = new Faults()
    expect(faults.skewMs('chainlink')).toBe(0)
    faults.set({ upstream: 'chainlink', mode: 'skew', skewMs: -7_000 })
    expect(faults.skewMs('chainlink')).toBe(-7_000)
    expect(faults.skewMs('rtds')).toBe(0)
  })
})

describe('parseFaultOrder', () => {
  test.each([...FAULT_MODES, 'off'])('takes %s', (mode) => {
    expect(parseFaultOrder({ upstream: '*', mode })).toMatchObject({ upstream: '*', mode })
  })

  test.each([
    ['upstream', { upstream: 'kalshi', mode: 'off' }],
    ['upstream', { mode: 'off' }],
    ['mode', { upstream: 'gamma', mode: 'broken' }],
    ['mode', { upstream: 'gamma', mode: 429 }],
    ['seconds', { upstream: 'gamma', mode: '429', seconds: '10' }],
    ['seconds', { upstream: 'gamma', mode: '429', seconds: 3_601 }],
    ['seconds', { upstream: 'gamma', mode: '429', seconds: 0 }],
    ['rate', { upstream: 'gamma', mode: '429', rate: 1.5 }],
    ['delayMs', { upstream: 'gamma', mode: 'slow', delayMs: -1 }],
    ['skewMs', { upstream: 'gamma', mode: 'skew', skewMs: Number.NaN }],
    ['path', { upstream: 'gamma', mode: '500', path: 'events' }],
    ['path', { upstream: 'gamma', mode: 'drop', path: '/events' }],
    ['field second', { upstream: 'gamma', mode: '429', second: 10 }],
  ])('refuses a wrong %s and says what it may be', (field, json) => {
    expect(() => parseFaultOrder(json)).toThrow(FaultOrderError)
    expect(() => parseFaultOrder(json)).toThrow(`${field} must be `)
  })
})
