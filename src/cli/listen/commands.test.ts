import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { WEBHOOK_EVENT_TYPE_NAMES } from '../../webhooks/event-types.js'
import { addListenCommand } from './commands.js'

function run(...args: string[]) {
  const program = new Command().exitOverride()
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  addListenCommand(program).exitOverride().configureOutput({ writeOut: write, writeErr: write })
  return { done: program.parseAsync(['listen', ...args], { from: 'user' }), written }
}

const TO = ['--forward-to', 'localhost:3000']

describe('auspex listen', () => {
  test.each([
    ['no receiver', ['--events', 'trade'], /--forward-to/],
    ['no events', TO, /--events/],
    ['an event type that is none', [...TO, '--events', 'trades'], /Event types are trade, large_/],
    ['a side that is none', [...TO, '--events', 'trade', '--side', 'UP'], /Allowed choices are BUY/],
    ['an amount that is none', [...TO, '--events', 'trade', '--min-amount-usd', '-1'], /number/],
    ['a count that is none', [...TO, '--events', 'trade', '--count', 'x'], /whole number/],
    ['a receiver that is none', ['--forward-to', 'ftp://x', '--events', 'trade'], /no address/],
    ['no key', [...TO, '--events', 'trade', '--data', '/nowhere'], /No key is given/],
    [
      'a service that is not there',
      [...TO, '--events', 'trade', '--url', 'http://127.0.0.1:2', '--key', 'k'],
      /http:\/\/127\.0\.0\.1:2: nothing answers there/,
    ],
  ])('refuses %s', async (_what, args, message) => {
    await expect(run(...args).done).rejects.toThrow(message)
  })

  test('--help teaches types, filters and how it ends', async () => {
    const { done, written } = run('--help')
    await expect(done).rejects.toThrow()
    const help = written.join('')
    const words = ['--wallet', '--confirmations', '--json', 'Examples:', 'Ctrl-C']
    for (const word of [...words, ...WEBHOOK_EVENT_TYPE_NAMES]) expect(help).toContain(word)
    expect(Math.max(...help.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120)
  })
})
