import { formatAmount } from '../format.js'
import type { Level } from './book.js'

const WIDTH = 300
const HEIGHT = 80

/** How many shares wait up to each price: bids from the middle to the left, asks to the right. */
export function DepthChart({ bids, asks }: { bids: readonly Level[]; asks: readonly Level[] }) {
  const prices = [...bids, ...asks].map(({ price }) => price)
  const lowest = Math.min(...prices, 1)
  const range = Math.max(...prices, 0) - lowest || 1
  const toX = (price: number) => ((price - lowest) / range) * WIDTH
  const most = Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0, 1)
  const toPath = (levels: readonly Level[]) => {
    const [best] = levels
    if (best === undefined) return ''
    const steps = levels.flatMap(({ price, total }, index) => {
      const before = levels[index - 1]?.total ?? 0
      return [`${toX(price)},${toY(before)}`, `${toX(price)},${toY(total)}`]
    })
    const last = levels.at(-1) ?? best
    return `M${toX(best.price)},${HEIGHT} L${steps.join(' L')} L${toX(last.price)},${HEIGHT} Z`
  }
  const toY = (total: number) => HEIGHT - (total / most) * (HEIGHT - 4)
  const sum = (levels: readonly Level[]) => formatAmount(levels.at(-1)?.total ?? 0)
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Depth: ${sum(bids)} shares bid, ${sum(asks)} shares asked`}
    >
      <path
        d={toPath(bids)}
        fill="var(--up)"
        fillOpacity="0.25"
        stroke="var(--up)"
        vectorEffect="non-scaling-stroke"
      />
      <path
        d={toPath(asks)}
        fill="var(--down)"
        fillOpacity="0.25"
        stroke="var(--down)"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
