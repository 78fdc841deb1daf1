import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type SeriesType,
  type Time,
} from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { colourOf, useColours } from '../theme.js'

/** `colour`: its name in the style sheet, such as `series-1`. */
export type Point = { time: number; value: number; colour?: string }
export type Candle = { time: number; open: number; high: number; low: number; close: number }

/** `time`: Unix seconds, ascending. */
export type Series =
  | { kind: 'candles'; points: readonly Candle[]; colour?: never }
  | { kind: 'line'; points: readonly Point[]; colour: string }
  /** Bars at the foot of the chart, on a scale of their own. */
  | { kind: 'volume'; points: readonly Point[]; colour: string }
  | { kind: 'bars'; points: readonly Point[]; colour: string }

type TimeChartProps = {
  /** What the chart shows, for readers who do not see it. */
  label: string
  series: readonly Series[]
  format: (value: number) => string
  isLow?: boolean
}

const KINDS = { candles: CandlestickSeries, line: LineSeries, volume: HistogramSeries, bars: HistogramSeries }

/** Fewer would be as wide as houses: the rest of the chart stays empty. */
const POINTS_MIN = 40
/** Of a chart that is this short, marks of minutes alone would be the same text several times. */
const SECONDS_SPAN = 20 * 60

/** The chart shows times of the reader's zone, as the rest of the page does: the library knows UTC alone. */
const toLocalTime = (seconds: number) =>
  (seconds - new Date(seconds * 1_000).getTimezoneOffset() * 60) as Time

export function TimeChart({ label, series, format, isLow }: TimeChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<{ chart: IChartApi; series: ISeriesApi<SeriesType>[] } | undefined>(undefined)
  const colours = useColours()
  const kinds = series.map(({ kind, colour = '' }) => `${kind} ${colour}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the points are drawn by the next effect
  useEffect(() => {
    if (container.current === null) return
    const chart = createChart(container.current, {
      autoSize: true,
      layout: { background: { color: 'transparent' }, textColor: colourOf('soft'), attributionLogo: false },
      grid: { vertLines: { color: colourOf('line') }, horzLines: { color: colourOf('line') } },
      rightPriceScale: { borderVisible: false },
      timeScale: { borderVisible: false, timeVisible: true },
      localization: { priceFormatter: format },
      handleScroll: { mouseWheel: false },
      handleScale: { mouseWheel: false },
    })
    drawn.current = { chart, series: series.map((each) => addSeries(chart, each)) }
    return () => {
      chart.remove()
      drawn.current = undefined
    }
  }, [kinds, colours])

  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours make another chart, without points
  useEffect(() => {
    series.forEach(({ points }, index) => {
      const data = points.map((point) => ({
        ...point,
        time: toLocalTime(point.time),
        ...('colour' in point && { color: colourOf(point.colour ?? '') }),
      }))
      drawn.current?.series[index]?.setData(data as never)
    })
    const longest = Math.max(...series.map(({ points }) => points.length))
    const scale = drawn.current?.chart.timeScale()
    scale?.applyOptions({ secondsVisible: spanOf(series) <= SECONDS_SPAN })
    if (longest >= POINTS_MIN) scale?.fitContent()
    else scale?.setVisibleLogicalRange({ from: longest - POINTS_MIN, to: longest })
  }, [series, colours])

  return (
    <div ref={container} className={isLow === true ? 'chart low' : 'chart'} role="img" aria-label={label} />
  )
}

/** In seconds, from the first point to the last one. */
function spanOf(series: readonly Series[]): number {
  const ends = series
    .flatMap(({ points }) => [points[0], points.at(-1)])
    .flatMap((point) => point?.time ?? [])
  return Math.max(...ends) - Math.min(...ends)
}

function addSeries(chart: IChartApi, { kind, colour }: Series): ISeriesApi<SeriesType> {
  const added = chart.addSeries(KINDS[kind], {
    ...(kind === 'candles'
      ? {
          upColor: colourOf('up'),
          downColor: colourOf('down'),
          wickUpColor: colourOf('up'),
          wickDownColor: colourOf('down'),
          borderVisible: false,
        }
      : { color: colourOf(colour ?? '') }),
    ...(kind === 'line' && { lineWidth: 2 as const }),
    ...(kind === 'volume' && { priceScaleId: 'volume' }),
    priceLineVisible: false,
    lastValueVisible: kind !== 'volume',
  })
  if (kind === 'volume') added.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } })
  return added
}
