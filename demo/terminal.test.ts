import { expect, test, vi } from 'vitest'
import type { DemoFile } from './demo-file.js'
import { formatBanner, Phases } from './terminal.js'

test('the banner has lines that stream live trades and forward them, for any folder', () => {
  const keys = { free: 'f', starter: 's', growth: 'g', pro: 'p', enterprise: 'e' }
  const demo = {
    ...{ url: 'http://127.0.0.1:8080', ws_url: 'ws://127.0.0.1:8080', pid: 1, keys },
    sim_url: 'http://127.0.0.1:1',
    samples: { wallet: '0x1' },
  } as unknown as DemoFile
  const banner = formatBanner(demo, '.auspex-demo/demo.log')
  expect(banner).toContain('ws://127.0.0.1:8080/ws')
  expect(banner).toContain('\n  npx auspex tail trades --data .auspex-demo\n')
  expect(banner).toMatch(
    /\n {2}npx auspex listen --forward-to \S+ --events trade --data \.auspex-demo\n/,
  )
  expect(formatBanner(demo, "it's a folder/demo.log")).toContain("--data 'it'\\''s a folder'")
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
