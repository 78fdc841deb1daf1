import { describe, expect, test } from 'vitest'
import { OperatorError } from '../core/errors.js'
import { describeConfig, loadConfig } from './config.js'
import { describeEnvironment } from './setting-flags.js'

describe('loadConfig', () => {
  test('prefers a flag over the environment over the default, and says which it was', () => {
    const { config, origins } = loadConfig({ PORT: '9001', AUSPEX_HOST: '::1' }, { port: '9002' })
    expect(config).toMatchObject({ port: 9002, host: '::1', logLevel: 'info' })
    expect(origins).toMatchObject({ port: '--port', host: 'AUSPEX_HOST', logLevel: 'default' })
  })

  test('takes an empty variable for one that is not set', () => {
    expect(loadConfig({ PORT: '' }).origins.port).toBe('default')
  })

  test('lists every bad value at once and exits with 2', () => {
    const bad = { PORT: '70000', AUSPEX_LOG_LEVEL: 'loud', AUSPEX_TRUSTED_PROXIES: '10.0.0.0/8, x' }
    const load = () => loadConfig(bad, { databaseUrl: 'mysql://h/db' })
    expect(load).toThrow(OperatorError)
    expect(load).toThrow(/4 problems/)
    for (const name of [/PORT=70000: must be an integer from 0 to 65535/, /AUSPEX_LOG_LEVEL=loud/]) {
      expect(load).toThrow(name)
    }
    expect(load).toThrow(/"x" is neither an address nor a network/)
    expect(load).toThrow(expect.objectContaining({ exitCode: 2 }))
  })

  test('does not print a bad secret', () => {
    const load = () => loadConfig({ DATABASE_URL: 'mysql://root:hunter2@h/db' })
    expect(load).toThrow(/DATABASE_URL: must be a URL/)
    expect(load).not.toThrow(/hunter2/)
  })

  test('shows the address of Redis without its password', () => {
    const loaded = loadConfig({ REDIS_URL: 'rediss://user:hunter2@cache.example.net:6380/2' })
    expect(loaded.config.redisUrl).toContain('hunter2')
    const shown = describeConfig(loaded)
    expect(shown).toMatch(/REDIS_URL +rediss:\/\/user:\*{8}@cache\.example\.net:6380\/2/)
    expect(shown).not.toContain('hunter2')
  })

  test('warns about a variable that is nearly a setting', () => {
    expect(loadConfig({ AUSPEX_LOGLEVEL: 'debug' }).warnings).toEqual([
      'AUSPEX_LOGLEVEL is not a setting and has no effect. Did you mean AUSPEX_LOG_LEVEL?',
    ])
    // The guides have them exported for programs that call the service.
    const ofClients = { AUSPEX_KEY: 'ax_live_1', AUSPEX_URL: 'http://127.0.0.1:8080' }
    expect(loadConfig(ofClients).warnings).toEqual([])
  })

  test.each(['127.0.0.1', '10.0.0.0/8', 'fd00::/8', 'loopback'])('believes the proxy %s', (proxy) => {
    expect(loadConfig({ AUSPEX_TRUSTED_PROXIES: proxy }).config.trustedProxies).toEqual([proxy])
  })
})

describe('AUSPEX_WEBHOOK_NETWORKS', () => {
  const load = (text: string) => loadConfig({ AUSPEX_WEBHOOK_NETWORKS: text }).config

  test('lists addresses and networks', () => {
    const networks = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']
    expect(load(networks.join(', ')).webhookNetworks).toEqual(networks)
  })

  test.each(['0.0.0.0/0', '::/0', 'loopback', '10.0.0.0/33', '10.0.0', 'fe80::1%eth0', '::1,'])(
    '"%s" is refused',
    (text) => expect(() => load(text)).toThrow(/is neither an address nor a network/),
  )
})

describe('AUSPEX_KEY_ORIGINS', () => {
  const load = (text: string) => loadConfig({ AUSPEX_KEY_ORIGINS: text }).config.keyOrigins

  test('lists replicas, and shows them without passwords', () => {
    const urls = ['postgres://a:s3cret@h1/db', 'postgresql://a:s3%2Ccret@h2/db?host=/run']
    const loaded = loadConfig({ DATABASE_READ_URLS: urls.join(' , ') })
    expect(loaded.config.databaseReadUrls).toEqual(urls)
    expect(describeConfig(loaded)).toMatch(/DATABASE_READ_URLS +postgres:\/\/a:\*{8}@h1\/db,postgresql:/)
    expect(describeConfig(loaded)).not.toMatch(/cret/)
    const load = () => loadConfig({ DATABASE_READ_URLS: 'postgres://h1/db,mysql://a:s3cret@h2/db' })
    expect(load).toThrow(/DATABASE_READ_URLS: must be a URL that starts with postgres/)
  })

  test('lists origins as browsers send them', () => {
    expect(load('https://App.example.org/, http://localhost:3000')).toEqual([
      'https://app.example.org',
      'http://localhost:3000',
    ])
    expect(load('*')).toEqual(['*'])
  })

  test.each([
    'app.example.org',
    'https://a.org/b',
    'https://a.org,',
    'https://u:p@a.org',
    'ftp://a.org',
    'null',
  ])('"%s" is refused', (text) => expect(() => load(text)).toThrow(/is no origin/))
})

test('describeConfig masks secrets and names the origin of every value', () => {
  const env = { DATABASE_URL: 'postgres://u:hunter2@h/db', AUSPEX_METRICS_TOKEN: 'hunter3' }
  const text = describeConfig(loadConfig(env, { port: '1' }))
  expect(text).not.toMatch(/hunter/)
  expect(text).toMatch(/DATABASE_URL +postgres:\/\/u:\*+@h\/db +DATABASE_URL/)
  expect(text).toMatch(/AUSPEX_METRICS_TOKEN +\*+ +AUSPEX_METRICS_TOKEN/)
  expect(text).toMatch(/PORT +1 +--port/)
  expect(text).toMatch(/AUSPEX_LOG_LEVEL +info +default/)
})

const loadRtds = (text?: string) => loadConfig({ AUSPEX_RTDS_WS_URL: text }).config.rtdsWsUrl

describe('AUSPEX_RTDS_WS_URL', () => {
  test.each(['off', ' OFF '])('"%s" leaves no address', (text) => {
    expect(loadRtds(text)).toBeUndefined()
  })

  test('without a value it is the address of the real one', () => {
    expect(loadRtds()).toBe('wss://ws-live-data.polymarket.com')
    expect(loadRtds('ws://127.0.0.1:1/')).toBe('ws://127.0.0.1:1')
  })

  test.each(['none', 'https://off', 'off/'])('"%s" is refused', (text) => {
    expect(() => loadRtds(text)).toThrow(/AUSPEX_RTDS_WS_URL=.*: must be a URL that starts with ws:/)
  })

  test('--help says that it can be off', () => {
    expect(describeEnvironment()).toMatch(/AUSPEX_RTDS_WS_URL .*; off: /)
  })
})
