import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { DEMO_DATA_DIR } from '../src/config/service-address.js'
import { createLog, type Log, type LogLevel } from '../src/lib/log.js'
import { type Output, Progress } from '../src/lib/progress.js'
import { formatTable } from '../src/lib/table.js'
import type { DemoFile } from './demo-file.js'

export type DemoLog = { log: Log; path: string; close(): void }

/** The log of this run, as JSON lines in `<data>/demo.log`. Errors are also shown, one line each. */
export function openDemoLog(dataDir: string, level: LogLevel): DemoLog {
  const path = join(dataDir, 'demo.log')
  const file = openSync(path, 'w', 0o600)
  const write = (line: string) => {
    writeSync(file, line)
    const { level, msg, err } = JSON.parse(line)
    if (level === 'error' || level === 'fatal') {
      console.error(`${level}: ${msg}${err === undefined ? '' : `: ${err.message}`} (see ${path})`)
    }
  }
  return { log: createLog(level, { write }), path, close: () => closeSync(file) }
}

type Phase = { title: string; unit: string; total: number }

/** Shows what the demo is doing: on a terminal a bar for the phase that runs, and a line for each that is over. */
export class Phases {
  readonly #startedAt = performance.now()
  readonly #out: Output
  #bar: Progress | undefined

  constructor(out: Output = process.stderr) {
    this.#out = out
  }

  /** The phase of the first call counts until `end` or `clear`; `note` stands at the end of the line. */
  show(done: number, phase: Phase, note = ''): void {
    this.#bar ??= new Progress({ ...phase, from: done, out: this.#out })
    this.#bar.show(done, note)
  }

  /** Takes the bar away; the next one is of another phase. */
  clear(): void {
    this.#bar?.end()
    this.#bar = undefined
  }

  end(title: string, result: string): void {
    this.#bar?.complete()
    this.#bar = undefined
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1)
    console.log(`${title.padEnd(10)}${result.padEnd(44)}${seconds.padStart(6)} s`)
  }
}

type BannerParts = { logPath: string; signInLink: string }

/**
 * What the terminal shows once everything runs. The commands work when pasted. The end of it is what a terminal of
 * 80 × 24 keeps in sight: the addresses, and what to try first.
 */
export function formatBanner(demo: DemoFile, { logPath, signInLink }: BannerParts): string {
  const { url, ws_url: wsUrl, keys, sim_url: simUrl, samples } = demo
  const ask = (path: string) => `curl -H 'x-api-key: ${keys.growth}' '${url}${path}'`
  const wallet = `/v3/wallets/${samples.wallet}`
  const folder = nameFolder(dirname(logPath))
  // The commands find the usual folder by themselves.
  const data = folder === DEMO_DATA_DIR ? '' : ` --data ${quoteForShell(folder)}`
  const addresses = [
    ['API', url],
    ['Reference', `${url}/docs`],
    ['Dashboard', signInLink],
    ['WebSocket', `${wsUrl}/ws (reference: /docs/websocket)`],
    ['Upstreams', `${simUrl} (simulated)`],
    ['Log', logPath],
  ]
  return `
Keys:
${indent(formatTable(Object.entries(keys)))}

What a wallet traded, holds and earned:
  ${ask(`${wallet}/trades?limit=3`)}
  ${ask(`${wallet}/positions?status=open&limit=3`)}
  ${ask(`${wallet}/pnl/events?group=day&period=7d`)}

Auspex is running. Ctrl-C stops everything.
${indent(formatTable(addresses))}

Live trades, in a second terminal; then as webhooks to a receiver of yours:
  npx auspex tail trades${data}
  npx auspex listen --forward-to localhost:3000 --events trade${data}

Try first: open ${url}/docs`
}

/** From here where it is below here. */
function nameFolder(path: string): string {
  const fromHere = relative('', path)
  return fromHere.startsWith('..') || fromHere === '' ? resolve(path) : fromHere
}

const quoteForShell = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const indent = (text: string): string => text.replace(/^/gm, '  ')
