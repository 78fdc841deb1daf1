import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findService } from '../../config/service-address.js'
import { OperatorError } from '../../core/errors.js'
import { addTailCommand } from './commands.js'
import { toSocketUrl } from './run-tail.js'
import { acknowledge, makeTrade, send, TestStreamServer } from './test-stream-server.js'

let folder: string
const printed: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'auspex-tail-'))
  printed.length = 0
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const writeDemo = (dir: string, demo: object) => {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'demo.json'), JSON.stringify(demo))
}

function run(...args: string[]) {
  const program = new Command().exitOverride()
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  addTailCommand(program).exitOverride().configureOutput({ writeOut: write, writeErr: write })
  return { done: program.parseAsync(['tail', ...args], { from: 'user' }), written }
}

describe('auspex tail', () => {
  test('prints as many events as asked for, with the address and the key of the demo', async () => {
    const server = await TestStreamServer.listen((client) =>
      send(client, acknowledge(), makeTrade(1), makeTrade(2), makeTrade(3)),
    )
    writeDemo(folder, { url: server.url.origin, keys: { growth: 'demo-key' } })
    await run('trades', '--data', folder, '--count', '2').done
    await run('trades', '--data', folder, '--count', '1', '--json').done
    await server.close()
    const lines = printed.join('').trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^10:00:03\.412 {2}trade +BUY/)
    expect(JSON.parse(lines[2] ?? '')).toEqual(makeTrade(1))
    expect(server.keys).toEqual(['demo-key', 'demo-key'])
    expect(server.subscribes[0]).toMatchObject({ type: 'trades', filters: { snapshot_count: 10 } })
  })

  test('a key that the service refuses is said plainly, with exit code 1', async () => {
    const server = await TestStreamServer.listen((client) => {
      send(client, { type: 'error', code: 'unauthorized', message: 'The key is unknown.' })
      client.close(4401)
    })
    const failed = await run('--url', server.url.href, '--key', 'wrong').done.catch((error) => error)
    await server.close()
    expect(failed).toBeInstanceOf(OperatorError)
    expect(failed).toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/The key is unknown/),
    })
    expect(failed.message).not.toContain('wrong')
  })

  test.each([
    ['a wallet that is none', ['--wallet', '7'], /40 hex digits/],
    ['a size that is none', ['--min-size', 'x'], /number of dollars/],
    ['a count that is none', ['--count', '-1'], /whole number/],
    ['no key anywhere', ['--url', 'ws://127.0.0.1:9', '--data', '/nowhere'], /No key is given/],
    ['an address that is none', ['--url', 'ftp://x', '--key', 'k'], /must begin with http/],
    ['books without a name', ['orderbook', '--key', 'k'], /Name the books/],
  ])('refuses %s', async (_what, args, message) => {
    await expect(run(...args).done).rejects.toThrow(message)
  })

  test('--help teaches types, filters and how it ends', async () => {
    const { done, written } = run('--help')
    await expect(done).rejects.toThrow()
    const help = written.join('')
    for (const word of ['large_trades', '--wallet', '--since-seq', '--json', 'Examples:', 'Ctrl-C']) {
      expect(help).toContain(word)
    }
  })
})

describe('findService', () => {
  test.each([
    ['http://host:9', 'ws://host:9/ws'],
    ['https://host', 'wss://host/ws'],
    ['ws://host/ws/orderbook', 'ws://host/ws/orderbook'],
    ['wss://host/ws?key=inside&compress=zlib', 'wss://host/ws?compress=zlib'],
  ])('--url %s is %s', (url, expected) => {
    const service = findService({ url, key: 'k', data: folder })
    expect(toSocketUrl(service.url).href).toBe(expected)
  })

  test('takes the key from the address, and the key of a demo for that demo alone', () => {
    writeDemo(folder, { url: 'http://127.0.0.1:8080', keys: { growth: 'demo-key' } })
    const find = (url?: string) => findService({ url, data: folder }).key
    expect(find()).toBe('demo-key')
    expect(find('http://127.0.0.1:8080')).toBe('demo-key')
    expect(find('wss://elsewhere/ws?key=own')).toBe('own')
    expect(() => find('wss://elsewhere')).toThrow(/No key is given/)
  })
})
