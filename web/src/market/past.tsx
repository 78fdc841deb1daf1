import { useEffect, useMemo, useRef, useState } from 'react'
import { AuspexError, useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import type { Series } from '../charts/time-chart.js'
import { formatPrice, formatUtc } from '../format.js'
import { Choice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { type ShownTrade, Trades, tradesOfRows } from '../parts/trades.js'
import { Time } from '../parts/values.js'
import { BookSides } from './book.js'
import { usePlayback } from './playback.js'

/** How much of the past the slider reaches over, and the step of the line above it: at most 200 points. */
const REACHES = {
  '10m': { ms: 600_000, interval: '5s' },
  '1h': { ms: 3_600_000, interval: '1m' },
  '6h': { ms: 21_600_000, interval: '5m' },
  '1d': { ms: 86_400_000, interval: '15m' },
} as const
type Reach = keyof typeof REACHES

type Speed = '1' | '10' | '60'

const TRADES_SHOWN = 12
/** A moved slider asks when it has rested for this long. */
const REST_MS = 120
/** How often the book is read while the past is played. */
const PLAYED_BOOK_MS = 1_000

/** The recorded book and the trades of an outcome at any moment that a slider chooses. */
export function Past({ token, slug, outcome }: { token: string; slug: string; outcome: string }) {
  const newest = useApi('/v3/markets/{token_id}/book', { path: { token_id: token }, query: { levels: 1 } })
  const isUnknown = newest.error instanceof AuspexError && newest.error.status === 404
  if (isUnknown) {
    return (
      <Panel title="The past of the order book">
        <p className="inside soft">
          No book of this outcome is recorded. The setting <code>AUSPEX_RECORD_BOOKS</code> says whose are.
        </p>
      </Panel>
    )
  }
  return (
    <Loaded query={newest} height={26}>
      {({ at }) => <Moments key={token} token={token} slug={slug} outcome={outcome} newestMs={at} />}
    </Loaded>
  )
}

type MomentsProps = { token: string; slug: string; outcome: string; newestMs: number }

function Moments({ token, slug, outcome, newestMs: newest }: MomentsProps) {
  const [reach, setReach] = useState<Reach>('10m')
  const { ms: reachMs, interval } = REACHES[reach]
  const [newestMs] = useState(Math.floor(newest / 1_000) * 1_000)
  const fromMs = newestMs - reachMs
  const [atMs, setAtMs] = useState(newestMs)
  const [speed, setSpeed] = useState<Speed>('10')
  const playback = usePlayback({ slug, atMs, endMs: newestMs, speed: Number(speed), onMove: setAtMs })
  const shownMs = useRested(atMs, playback.isPlaying)
  const depth = useApi('/v3/markets/{token_id}/book/depth', {
    path: { token_id: token },
    query: { from: fromMs, to: newestMs, interval, limit: 200 },
  })
  return (
    <>
      <Panel
        title={`Past of ${outcome}`}
        aside={
          <Choice
            label="How far back"
            options={{ '10m': '10 min', '1h': '1 h', '6h': '6 h', '1d': '1 day' }}
            value={reach}
            onChoose={(chosen) => {
              setReach(chosen)
              setAtMs((before) => Math.max(before, newestMs - REACHES[chosen].ms))
            }}
          />
        }
      >
        <Loaded query={depth} height={12}>
          {({ data }) => <Middle rows={data} />}
        </Loaded>
        <div className="inside moment">
          <input
            type="range"
            aria-label="Moment"
            aria-valuetext={formatUtc(atMs)}
            min={fromMs}
            max={newestMs}
            step={1_000}
            value={atMs}
            onChange={({ target }) => {
              playback.stop()
              setAtMs(Number(target.value))
            }}
          />
          <div className="row">
            <button
              type="button"
              disabled={!playback.isPlaying && atMs >= newestMs}
              onClick={playback.isPlaying ? playback.stop : playback.start}
            >
              {playback.isPlaying ? 'Pause' : 'Play'}
            </button>
            <Choice
              label="Speed"
              options={{ '1': '1 ×', '10': '10 ×', '60': '60 ×' }}
              value={speed}
              onChoose={setSpeed}
            />
            <output>{formatUtc(atMs)}</output>
          </div>
          {playback.problem !== undefined && <p role="alert">{playback.problem}</p>}
        </div>
      </Panel>
      <div className="grid wide-first">
        <TradesUntil slug={slug} atMs={playback.startedMs ?? shownMs} played={playback.trades} />
        <BookAt token={token} atMs={shownMs} />
      </div>
    </>
  )
}

type DepthRow = { time: number; mid: string | null }

/** The middle between the best prices; in a gap there is none. */
function Middle({ rows }: { rows: readonly DepthRow[] }) {
  const series = useMemo<Series[]>(() => {
    const points = rows.flatMap(({ time, mid }) =>
      mid === null ? [] : [{ time: time / 1_000, value: Number(mid) }],
    )
    return [{ kind: 'line', colour: 'series-1', points }]
  }, [rows])
  return (
    <LazyChart isLow label="Middle of the recorded book over time" series={series} format={formatPrice} />
  )
}

function BookAt({ token, atMs }: { token: string; atMs: number }) {
  const book = useApi('/v3/markets/{token_id}/book', {
    path: { token_id: token },
    query: { at: atMs, levels: 100 },
  })
  const isGap = book.error instanceof AuspexError && book.error.status === 404
  return (
    <Panel title="Order book" aside={<Time at={atMs} />}>
      {isGap ? (
        <p className="inside soft">This moment is not recorded.</p>
      ) : (
        <Loaded query={book} height={18}>
          {({ bids, asks }) => <BookSides bids={bids} asks={asks} />}
        </Loaded>
      )}
    </Panel>
  )
}

type TradesUntilProps = { slug: string; atMs: number; played: readonly ShownTrade[] }

/** The last trades before a moment, and those that were played since. */
function TradesUntil({ slug, atMs, played }: TradesUntilProps) {
  const trades = useApi('/v3/markets/slug/{slug}/trades', {
    path: { slug },
    query: { before: Math.floor(atMs / 1_000), limit: TRADES_SHOWN },
  })
  return (
    <Panel title="Trades until then">
      <Loaded
        query={trades}
        height={18}
        empty={{
          is: ({ trades: rows }) => rows.length + played.length === 0,
          text: 'Nobody had traded here yet.',
        }}
      >
        {({ trades: rows }) => (
          <Trades trades={[...played, ...tradesOfRows(rows)].slice(0, TRADES_SHOWN)} without="market" />
        )}
      </Loaded>
    </Panel>
  )
}

/** The value as it was when it last stood still for a moment; while it moves by itself, as it was a moment ago. */
function useRested(value: number, isMoving: boolean): number {
  const [rested, setRested] = useState(value)
  const latest = useRef(value)
  latest.current = value
  useEffect(() => {
    if (isMoving) return
    const timer = setTimeout(() => setRested(value), REST_MS)
    return () => clearTimeout(timer)
  }, [value, isMoving])
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => setRested(latest.current), PLAYED_BOOK_MS)
    return () => clearInterval(timer)
  }, [isMoving])
  return rested
}
