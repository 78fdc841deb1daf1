// Draws the profit of the ten best wallets, as an SVG that every browser shows:
//   node dist/examples/leaderboard-chart.js [--period all] [--out leaderboard.svg]
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { AuspexClient } from 'auspex-client'

const BAR = { height: 24, step: 34, left: 130, width: 480 }

const PERIODS = ['all', '1d', '7d', '30d'] as const

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      period: { type: 'string', default: 'all' },
      out: { type: 'string', default: 'leaderboard.svg' },
    },
  })
  const period = PERIODS.find((each) => each === values.period)
  if (period === undefined) throw new Error(`--period is one of ${PERIODS.join(', ')}`)

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const board = await auspex.get('/v3/leaderboard', { query: { period, limit: 10 } })
  const bars = board.leaderboard.map((row) => ({
    wallet: row.wallet,
    // The board of all time counts open positions too; the others have what was realized in their time.
    pnl: 'total_pnl' in row ? row.total_pnl : row.realized_pnl,
  }))
  await writeFile(values.out, drawBars(`Profit, ${period}, at ${toTime(board.as_of)}`, bars))
  console.log(`${values.out}: ${bars.length} wallets at ${board.as_of}`)
}

function drawBars(title: string, bars: { wallet: string; pnl: number }[]): string {
  const widest = Math.max(1, ...bars.map(({ pnl }) => Math.abs(pnl)))
  const rows = bars.map(({ wallet, pnl }, index) => {
    const y = 48 + index * BAR.step
    const width = Math.round((Math.abs(pnl) / widest) * BAR.width)
    return `<text x="${BAR.left - 10}" y="${y + 17}" text-anchor="end">${wallet.slice(0, 6)}…${wallet.slice(-4)}</text>
<rect x="${BAR.left}" y="${y}" width="${width}" height="${BAR.height}" fill="${pnl < 0 ? '#c0392b' : '#1e8449'}"><title>${wallet}</title></rect>
<text x="${BAR.left + width + 8}" y="${y + 17}">${toDollars(pnl)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${60 + bars.length * BAR.step}" font-family="sans-serif" font-size="14">
<text x="20" y="28" font-size="18">${title}</text>
${rows.join('\n')}
</svg>\n`
}

const toTime = (seconds: number) => new Date(seconds * 1_000).toISOString()

const toDollars = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
