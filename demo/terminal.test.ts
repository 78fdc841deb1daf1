import { expect, test, vi } from 'vitest'
import type { DemoFile } from './demo-file.js'
import { formatBanner, Phases } from './terminal.js'

const HEX_48 = '0'.repeat(48)
const demo = {
  url: 'http://127.0.0.1:8080',
  ws_url: 'ws://127.0.0.1:8080',
  pid: 1,
  keys: Object.fromEntries(
    ['free', 'starter', 'growth', 'pro', 'enterprise'].map((plan) => [plan, `ax_live_${HEX_48}`]),
  ),
  sim_url: 'http://127.0.0.1:43210',
  samples: { wallet: `0x${'1'.repeat(40)}` },
} as unknown as DemoFile

const signInLink = `${demo.url}/sign-in?code=${'c'.repeat(22)}`

test('the banner has lines that stream live trades and forward them, for any folder', () => {
  const banner = formatBanner(demo, { logPath: '.auspex-demo/demo.log', signInLink })
  expect(banner.match(/\n {2}curl -H 'x-api-key: ax_live_0+' 'http[^']+'(?=\n)/g)).toHaveLength(3)
  expect(banner).toContain('\n  npx auspex tail trades\n')
  expect(banner).toMatch(/\n {2}npx auspex listen --forward-to \S+ --events trade\n/)
  const elsewhere = formatBanner(demo, { logPath: "it's a folder/demo.log", signInLink })
  expect(elsewhere).toContain("\n  npx auspex tail trades --data 'it'\\''s a folder'\n")
})

test('a terminal of 80 × 24 shows the addresses and what to try first', () => {
  const rows = formatBanner(demo, { logPath: '.auspex-demo/demo.log', signInLink })
    .split('\n')
    .flatMap((line) => line.match(/.{1,80}/g) ?? [''])
  // The last row is where the cursor stands.
  const screen = rows.slice(-23)
  for (const text of ['Auspex is running. Ctrl-C', 'API', 'ws://127.0.0.1:8080/ws', 'demo.log', signInLink]) {
    expect(screen.join('\n')).toContain(text)
  }
  expect(screen.filter((row) => row.includes('curl -H'))).toHaveLength(3)
  expect(screen.at(-1)).toBe('Try first: open http://127.0.0.1:8080/docs')
})

test('the bar of a phase ends full, at the number that it began with', () => {
  const written: string[] = []
  const lines = vi.spyOn(console, 'log').mockImplementation((line) => written.push(line))
  const phases = new Phases({ isTTY: true, write: (text) => written.push(text) })
  phases.show(20, { title: 'Ingesting', unit: 'blocks', total: 400 })
  phases.show(500, { title: 'Ingesting', unit: 'blocks', total: 480 })
  phases.end('Chain', '500 blocks ingested')
  lines.mockRestore()
  expect(written).toEqual([
    expect.stringMatching(/ 5 % {2}20 of 400 blocks/),
    expect.stringMatching(/ 100 % {2}400 of 400 blocks/),
    '\r\x1b[K',
    expect.stringMatching(/^Chain {5}500 blocks ingested +\d+\.\d s$/),
  ])
})
