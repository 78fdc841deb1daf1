import { AuspexError } from 'auspex-client'
import { useEffect, useRef, useState } from 'react'
import { auspex } from '../api.js'
import { type ShownTrade, tradeOfEvent } from '../parts/trades.js'

/** How often the slider moves. */
const FRAME_MS = 250
const TRADES_MAX = 12

type PlaybackOptions = {
  slug: string
  atMs: number
  endMs: number
  speed: number
  onMove: (atMs: number) => void
}

type Playback = {
  isPlaying: boolean
  /** The moment from which on the past was played; `undefined`: it is not. */
  startedMs: number | undefined
  /** The trades since, newest first. */
  trades: readonly ShownTrade[]
  problem: string | undefined
  start: () => void
  stop: () => void
}

/** Plays the past of a market over the live protocol, from a moment on, until it is stopped or has reached the end. */
export function usePlayback({ slug, atMs, endMs, speed, onMove }: PlaybackOptions): Playback {
  const [startedMs, setStartedMs] = useState<number>()
  const [isPlaying, setPlaying] = useState(false)
  const [trades, setTrades] = useState<readonly ShownTrade[]>([])
  const [problem, setProblem] = useState<string>()
  const latest = useRef({ atMs, onMove })
  latest.current = { atMs, onMove }

  useEffect(() => {
    if (!isPlaying) return
    const fromMs = latest.current.atMs
    const replay = auspex.replay({ from: fromMs, to: endMs, speed })
    const events = replay.subscribe({ type: 'trades', filters: { slugs: [slug], event_types: ['trade'] } })
    let timer: ReturnType<typeof setInterval> | undefined
    // Another replay replaces this one, or the reader has left.
    let isLeft = false
    replay.onState(() => {
      const begunAt = performance.now()
      timer ??= setInterval(() => {
        latest.current.onMove(Math.min(endMs, Math.round(fromMs + (performance.now() - begunAt) * speed)))
      }, FRAME_MS)
    })
    void (async () => {
      try {
        for await (const event of events) {
          if (event.type !== 'trade') continue
          setTrades((before) => [tradeOfEvent(event), ...before].slice(0, TRADES_MAX))
        }
        if ((await replay.ended) !== undefined) latest.current.onMove(endMs)
      } catch (error) {
        if (!isLeft)
          setProblem(error instanceof AuspexError ? error.message : 'The past cannot be played now.')
      }
      if (!isLeft) setPlaying(false)
    })()
    return () => {
      isLeft = true
      clearInterval(timer)
      replay.close()
    }
  }, [isPlaying, speed, slug, endMs])

  return {
    isPlaying,
    startedMs,
    trades,
    problem,
    start: () => {
      setStartedMs(atMs)
      setTrades([])
      setProblem(undefined)
      setPlaying(true)
    },
    stop: () => {
      setPlaying(false)
      setStartedMs(undefined)
      setTrades([])
    },
  }
}
