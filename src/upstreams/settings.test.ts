import { describe, expect, test } from 'vitest'
import { loadConfig } from '../config/config.js'
import { describeEnvironment } from '../config/setting-flags.js'

const load = (text?: string) => loadConfig({ AUSPEX_RTDS_WS_URL: text }).config.rtdsWsUrl

describe('AUSPEX_RTDS_WS_URL', () => {
  test.each(['off', ' OFF '])('"%s" leaves no address', (text) => {
    expect(load(text)).toBeUndefined()
  })

  test('without a value it is the address of the real one', () => {
    expect(load()).toBe('wss://ws-live-data.polymarket.com')
    expect(load('ws://127.0.0.1:1/')).toBe('ws://127.0.0.1:1')
  })

  test.each(['none', 'https://off', 'off/'])('"%s" is refused', (text) => {
    expect(() => load(text)).toThrow(/AUSPEX_RTDS_WS_URL=.*: must be a URL that starts with ws:/)
  })

  test('--help says that it can be off', () => {
    expect(describeEnvironment()).toMatch(/AUSPEX_RTDS_WS_URL .*; off: /)
  })
})
