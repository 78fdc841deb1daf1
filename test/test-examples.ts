import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import type { DemoFile } from '../demo/demo-file.js'
import { askDemo } from './demo-process.js'
import { mostCommon } from './most-common.js'
import { type PythonEnvironment, preparePython } from './python-environment.js'
import { parseCsv, readParquet } from './read-rows.js'

const ROOT = join(import.meta.dirname, '..')

type Trade = {
  maker: string
  token_id: string
  transaction_hash: string
  order_hash: string
  direction: string
  size: number
  price: number
  amount_usd: number
}

/** Unix seconds: all blocks up to then are booked, also on a busy machine. */
const settledTime = () => Math.floor(Date.now() / 1_000) - 90

type Result = { status: number | null; lines: string[]; errors: string[] }
type Started = { child: ChildProcess; lines: () => string[]; ended: Promise<Result> }

const FILES = readdirSync(join(ROOT, 'examples')).filter((name) => /\.(ts|py)$/.test(name))
/** What they are asked about; others need nothing. */
const SUBJECTS: Record<string, string> = {
  'follow-wallet.ts': '0x00000000000000000000000000000000000000aa',
  'parquet-to-duckdb.ts': '0x00000000000000000000000000000000000000aa',
  'book-imbalance.ts': '1234567890123456789012345678901234567890',
  'market-maker.ts': '1234567890123456789012345678901234567890',
  'candles_to_pandas.py': '1234567890123456789012345678901234567890',
  'download-market.ts': 'a-market',
  'webhook-receiver.ts': '--port=0',
}

type Place = {
  demo: DemoFile
  /** Where the examples write their files. */
  folder: string
}

/** Tests of every program in examples/, against a demo that runs. */
export function testExamples(find: () => Place): void {
  let demo: DemoFile
  let folder: string
  let environment: PythonEnvironment
  /** The wallet with most of the newest fills: its stream is never silent for long. */
  let wallet: string
  beforeAll(async () => {
    ;({ demo, folder } = find())
    environment = await preparePython(join(ROOT, 'examples/requirements.txt'))
    const makers = (await ask<{ trades: Trade[] }>('/v3/trades?limit=300')).trades.map(({ maker }) => maker)
    wallet = mostCommon(makers)
  })

  const ask = <Body>(path: string, body?: object) => askDemo<Body>(demo, path, body)

  /** Starts an example by the name of its file, in the folder of the test. */
  function start(file: string, args: string[], variables?: Record<string, string>): Started {
    const isPython = file.endsWith('.py')
    const python = 'python' in environment ? environment.python : ''
    const path = join(ROOT, isPython ? `examples/${file}` : `dist/examples/${file.replace(/ts$/, 'js')}`)
    const child = spawn(isPython ? python : process.execPath, [path, ...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        ...(variables ?? { AUSPEX_URL: demo.url, AUSPEX_KEY: demo.keys.growth }),
      },
    })
    const [output, errors]: [string[], string[]] = [[], []]
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => errors.push(String(chunk)))
    const toLines = (chunks: string[]) => chunks.join('').split('\n').filter(Boolean)
    const ended = once(child, 'close').then(([status]) => ({
      status,
      lines: toLines(output),
      errors: toLines(errors),
    }))
    return { child, lines: () => toLines(output), ended }
  }

  /** What an example printed that ended well. */
  async function run(file: string, ...args: string[]): Promise<string[]> {
    const { status, lines, errors } = await start(file, args).ended
    expect([status, file, ...errors]).toEqual([0, file, ...errors])
    return lines
  }

  const readOutput = (name: string) => readFileSync(join(folder, name))

  function needPython({ skip }: TestContext): void {
    if ('missing' in environment) skip(`the Python examples need their packages: ${environment.missing}`)
  }

  // Each of them waits for another process most of its time, and none changes what another one asks for.
  describe.concurrent('the example', () => {
    test.for(FILES)('%s says in one line what is missing, and why it was refused', async (file, context) => {
      if (file.endsWith('.py')) needPython(context)
      const subject = SUBJECTS[file]
      const args = subject === undefined ? [] : [subject]
      const [unset, refused] = await Promise.all([
        start(file, args, { AUSPEX_URL: demo.url }).ended,
        start(file, args, { AUSPEX_URL: demo.url, AUSPEX_KEY: 'ax_live_wrong' }).ended,
      ])
      const message = 'Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md'
      expect(unset).toEqual({ status: 1, lines: [], errors: [message] })
      expect(refused).toEqual({ status: 1, lines: [], errors: [expect.stringMatching(/^Malformed API key/)] })
    })

    test('follow-wallet.ts prints what the wallet did, as its list of trades has it', async () => {
      const lines = await run('follow-wallet.ts', wallet, '--count', '4')
      expect(lines).toHaveLength(4)
      const { trades } = await ask<{ trades: Trade[] }>(`/v3/wallets/${wallet}/trades?limit=300`)
      const own = trades.filter(({ maker }) => maker === wallet)
      const listed = own.map((each) =>
        [`${each.direction} ${each.size} at ${each.price}`, each.transaction_hash].join('  '),
      )
      const fills = lines
        .filter((line) => / at /.test(line))
        .map((line) => line.split('  ').slice(1, 3).join('  '))
      expect(fills.length).toBeGreaterThan(0)
      expect(fills.filter((fill) => !listed.includes(fill))).toEqual([])
    })

    test('big_trades.py alerts on trades of that size, each once', async (context) => {
      needPython(context)
      const lines = await run('big_trades.py', '--min-usd', '100', '--count', '4')
      const { trades } = await ask<{ trades: Trade[] }>('/v3/trades?fills=taker&min_amount_usd=100&limit=300')
      // The amount is compared apart: Python and this test round half a cent in different ways.
      const listed = new Map(
        trades.map((each) => [
          `${each.direction} ${each.size} at ${each.price}  ${each.transaction_hash}`,
          each.amount_usd,
        ]),
      )
      const alerts = lines.map((line) => {
        const [usd = '', order = '', hash = ''] = line.split('  ')
        return { usd: Number(usd.replace(/[$,]/g, '')), trade: `${order.replace(/\.0 at/, ' at')}  ${hash}` }
      })
      expect(new Set(alerts.map(({ trade }) => trade)).size).toBe(4)
      for (const { usd, trade } of alerts) {
        expect(Math.abs(usd - (listed.get(trade) ?? 0))).toBeLessThan(0.0051)
      }
    })

    test('leaderboard-chart.ts draws the ten best wallets with their profit', async () => {
      type Board = { as_of: number; leaderboard: { wallet: string; total_pnl: number }[] }
      // The board may move on between the picture and the question.
      await vi.waitFor(
        async () => {
          const lines = await run('leaderboard-chart.ts', '--out', 'board.svg')
          const board = await ask<Board>('/v3/leaderboard?limit=10')
          expect(lines).toEqual([`board.svg: 10 wallets at ${board.as_of}`])
          const picture = readOutput('board.svg').toString()
          const shown = [...picture.matchAll(/<title>(\w+)<.*\n<text .*>(.*)<\/text>/g)]
          expect(shown.map(([, address, dollars]) => [address, dollars])).toEqual(
            board.leaderboard.map((row) => [
              row.wallet,
              row.total_pnl.toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
            ]),
          )
        },
        { timeout: 60_000 },
      )
    })

    test('candles_to_pandas.py has the candles of the token', async (context) => {
      needPython(context)
      const { trades } = await ask<{ trades: Trade[] }>(
        `/v3/trades?fills=taker&limit=300&before=${settledTime() - 60}`,
      )
      const token = mostCommon(trades.map(({ token_id: id }) => id))
      const lines = await run('candles_to_pandas.py', token, '--csv', 'candles.csv')
      type Candle = Record<'time' | 'open' | 'high' | 'low' | 'close' | 'volume_usd' | 'trades', number>
      const path = `/v3/markets/${token}/candles?resolution=1m&gap_fill=true`
      const { candles } = await ask<{ candles: Candle[] }>(path)
      const [header = [], ...rows] = readOutput('candles.csv')
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split(','))
      expect(header.slice(0, 7)).toEqual(['time', 'open', 'high', 'low', 'close', 'volume_usd', 'trades'])
      const written = new Map(
        rows.map(([time = '', ...cells]) => [Date.parse(time) / 1_000, cells.slice(0, 6).map(Number)]),
      )
      expect(lines.at(-1)).toMatch(new RegExp(`^${rows.length} candles, \\d+ trades, \\$`))
      const settled = candles.filter(({ time }) => written.has(time) && time < settledTime() - 60)
      expect(settled.filter(({ trades: count }) => count > 0)).not.toEqual([])
      for (const { time, open, high, low, close, volume_usd: usd, trades: count } of settled) {
        expect(written.get(time), `${time}`).toEqual([open, high, low, close, usd, count])
      }
    })

    test('parquet-to-duckdb.ts sums up what the wallet bought and sold', async () => {
      const to = settledTime()
      const lines = await run('parquet-to-duckdb.ts', wallet, '--to', `${to}`, '--file', 'wallet.parquet')
      type Fill = { direction: string; shares: number; usd: number }
      const path = `/v2/onchain/wallets/${wallet}/trades/all?view=own&to=${to}`
      const { trades } = await ask<{ trades: Fill[] }>(path)
      expect(trades.length).toBeGreaterThan(0)
      const directions = [...new Set(trades.map(({ direction }) => direction))].sort()
      const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        directions.map((direction) => {
          const fills = trades.filter((each) => each.direction === direction)
          return {
            direction,
            trades: `${fills.length}`,
            shares: sum(fills.map(({ shares }) => shares)).toFixed(6),
            usd: sum(fills.map(({ usd }) => usd)).toFixed(6),
            newest: expect.stringMatching(/^2\d{3}-/),
          }
        }),
      )
    })

    test('book-imbalance.ts weighs the books that the API has', async () => {
      type Book = { asset_id: string; hash: string; bids: Level[]; asks: Level[] }
      type Level = { price: string; size: string }
      // Of an event with many markets most are seldom traded.
      const { data } = await ask<{ data: { event_slug: string }[] }>(
        '/v3/events?closed=false&sort=market_count&limit=1',
      )
      const readBooks = async () => {
        const { outcomes } = await ask<{ outcomes: Book[] }>(`/v1/orderbook/${data[0]?.event_slug}`)
        return outcomes.slice(0, 20)
      }
      const tokens = (await readBooks()).map(({ asset_id: id }) => id)
      // Of most books nothing changes between two questions.
      await vi.waitFor(
        async () => {
          const before = await readBooks()
          const lines = await run(
            'book-imbalance.ts',
            ...tokens,
            '--count',
            `${tokens.length}`,
            '--levels',
            '3',
          )
          const after = await readBooks()
          const still = before.filter(({ hash }, index) => hash === after[index]?.hash)
          expect(still.length).toBeGreaterThan(0)
          for (const { asset_id: token, bids, asks } of still) {
            const [bid, ask] = [bids, asks].map((levels) =>
              levels.slice(-3).reduce((total, { size }) => total + Number(size), 0),
            ) as [number, number]
            const best = `${Number(bids.at(-1)?.price)}/${Number(asks.at(-1)?.price)}`
            const imbalance = ((bid - ask) / (bid + ask)).toFixed(3)
            const line = lines.find((each) => each.startsWith(token))
            expect(line).toContain(`${best}  ${bid.toFixed(2)}:${ask.toFixed(2)}  ${imbalance}  `)
          }
        },
        { timeout: 60_000 },
      )
    })

    test('market-maker.ts runs on the books of the last minutes, and live', async () => {
      // Its market stays open; those of the busiest tokens end every few minutes.
      const { token_id: token } = demo.samples
      await vi.waitFor(() => ask(`/v3/markets/${token}/book`), { timeout: 100_000, interval: 500 })
      const [past, live] = await Promise.all([
        run('market-maker.ts', String(token), '--minutes', '2'),
        run('market-maker.ts', String(token), '--live', '0.1'),
      ])
      const result = /^[1-9]\d* messages, \d+ fills, -?[\d.]+ shares, profit \$-?[\d.]+$/
      expect([past, live]).toEqual([[expect.stringMatching(result)], [expect.stringMatching(result)]])
    })

    test('window-odds.ts has the price to beat, the ticks and the odds of the running window', async () => {
      type Window = { windowStart: number; markets: { markets: { tokenId: string }[] }[] }
      type Tick = { timestamp: number; data: { price: number } }
      // At its end a window has fewer ticks left, and at its begin the price to beat is not final.
      await vi.waitFor(
        async () => {
          const { windowStart, markets } = await ask<Window>('/v1/crypto/active')
          const [title = '', ...lines] = await run('window-odds.ts', 'btc', '--count', '3')
          expect(lines).toHaveLength(3)
          const price = await ask<{ openPrice: number }>(`/v1/crypto/price?symbol=BTC&window=${windowStart}`)
          expect(title).toMatch(new RegExp(`^Bitcoin Up or Down .*: ${price.openPrice} is to beat$`))
          const times = lines.map((line) => Number.parseInt(line, 10))
          const range = `from=${Math.min(...times)}000&to=${Math.max(...times)}000`
          // A tick is sent before it is in the archive.
          await vi.waitFor(
            async () => {
              const { ticks } = await ask<{ ticks: Tick[] }>(`/v1/crypto/ticks?symbol=BTC&${range}`)
              const archived = ticks.map(({ timestamp, data }) => `${timestamp} ${data.price}`)
              const told = lines.map((line) => line.split('  ')).map(([time, , price]) => `${time} ${price}`)
              expect(archived).toEqual(expect.arrayContaining(told))
            },
            { timeout: 30_000, interval: 200 },
          )
          const mid = await ask<{ mid: string }>(`/v1/midpoint/${markets[0]?.markets[0]?.tokenId}`)
          for (const line of lines) {
            const [time, left, told, ahead, odds = ''] = line.split('  ')
            expect(left).toBe(`${windowStart + 300 - Number(time)} s left`)
            expect(ahead).toBe((Number(told) - price.openPrice).toFixed(2))
            const [, ticksSay = '', marketSays = ''] = /^Up: ticks (.*), market (.*)$/.exec(odds) ?? []
            expect(Number(ticksSay) >= 0.5).toBe(Number(ahead) >= 0)
            expect(Number(ticksSay)).toBeLessThanOrEqual(1)
            // The market moves on in these seconds.
            expect(Math.abs(Number(marketSays) - Number(mid.mid)), line).toBeLessThan(0.25)
          }
        },
        { timeout: 90_000 },
      )
    })

    test('webhook-receiver.ts prints what the service signed, refuses the rest, and leaves no webhook', async () => {
      const counted = start('webhook-receiver.ts', ['--port', '0', '--min-usd', '1', '--count', '1'])
      const open = start('webhook-receiver.ts', ['--port', '0', '--min-usd', '1'])
      const printed = await vi.waitFor(
        () => {
          expect(open.lines().length).toBeGreaterThan(2)
          return open.lines()
        },
        { timeout: 60_000 },
      )
      const url = printed[0]?.split(' ').at(-1) ?? ''
      const forged = await fetch(url, { method: 'POST', body: '{"id":"evt_1","type":"trade","data":{}}' })
      expect(forged.status).toBe(401)
      open.child.kill('SIGINT')
      const [first, second] = await Promise.all([counted.ended, open.ended])
      expect(first).toEqual({
        status: 0,
        lines: [expect.stringMatching(/^wh_/), expect.stringMatching(/^trade evt_/)],
        errors: [],
      })
      expect(second).toMatchObject({ status: 0, errors: ['-- refused: The delivery has no signature.'] })

      // On a busy machine a delivery may have waited for more trades than a page has.
      const pages = await Promise.all(
        [0, 300, 600].map((offset) =>
          ask<{ trades: Trade[] }>(`/v3/trades?fills=all&limit=300&offset=${offset}`),
        ),
      )
      const listed = pages
        .flatMap(({ trades }) => trades)
        .map(({ order_hash: hash, amount_usd: usd }) => `${hash} ${usd}`)
      for (const line of [...first.lines.slice(1), ...printed.slice(1)]) {
        const [, , ...json] = line.split(' ')
        const { order_hash: hash, amount_usd: usd } = JSON.parse(json.join(' ')) as Trade
        expect(listed).toContain(`${hash} ${usd}`)
      }
      const reply = await fetch(`${demo.url}/v3/webhooks`, { headers: { 'x-api-key': demo.keys.growth } })
      expect(await reply.text()).not.toContain(url)
    })

    test.for(['csv', 'ndjson', 'parquet'])(
      'download-market.ts has every trade of a market, as %s',
      async (format) => {
        const { data } = await ask<{ data: { slug: string; trades: number }[] }>(
          '/v3/markets/stats?limit=100',
        )
        const isOver = (slug: string) => Number(/-5m-(\d+)$/.exec(slug)?.[1]) + 330 < Date.now() / 1_000
        const slug = data.find((each) => isOver(each.slug))?.slug ?? expect.fail('no window is over')
        const lines = await run('download-market.ts', slug, '--format', format, '--out', `market.${format}`)
        const bytes = readOutput(`market.${format}`)
        expect(lines).toEqual([`market.${format}: done, ${bytes.length} bytes`])
        const { trades } = await ask<{ trades: { order_hash: string }[] }>(
          `/v3/markets/slug/${slug}/trades/all`,
        )
        expect(trades.length).toBeGreaterThan(0)
        const hashes = await READERS[format]?.(bytes)
        expect(hashes).toEqual(trades.map(({ order_hash: hash }) => hash))
      },
    )

    test('copy_pnl_screen.py ranks the wallets of the leaderboard by what copying them earned', async (context) => {
      needPython(context)
      const to = settledTime()
      const options = ['--top', '15', '--slippage', '1.5', '--days', '7', '--to', `${to}`]
      const [title, ...rows] = await run('copy_pnl_screen.py', ...options)
      expect(title).toMatch(/^15 of 15 wallets over 7 days: /)
      const shown = rows.map((row) => row.split(/ +/))
      type Score = Record<'actual_pnl_usdc' | 'backtest_copy_pnl_usdc' | 'trade_count', number> & {
        wallet: string
        toxic_for_copying: boolean
      }
      const window = { from: to - 7 * 86_400, to, slippage: 1.5 }
      const body = { addresses: shown.map(([address]) => address), ...window }
      const { results } = await ask<{ results: Score[] }>('/v2/copy-pnl/batch', body)
      expect(shown).toEqual(
        results.map((score) => [
          score.wallet,
          score.actual_pnl_usdc.toFixed(2),
          score.backtest_copy_pnl_usdc.toFixed(2),
          `${score.trade_count}`,
          ...(score.toxic_for_copying ? ['toxic'] : []),
        ]),
      )
      const copied = shown.map(([, , pnl]) => Number(pnl))
      expect(copied).toEqual([...copied].sort((a, b) => b - a))
    })
  })
}

/** The orders of a file of trades. */
const READERS: Record<string, (bytes: Buffer) => Promise<unknown[]> | unknown[]> = {
  csv: (bytes) =>
    parseCsv(bytes.toString())
      .slice(1)
      .map(([, hash]) => hash),
  ndjson: (bytes) =>
    bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).order_hash),
  parquet: async (bytes) => (await readParquet(bytes)).map((row) => row.order_hash),
}
