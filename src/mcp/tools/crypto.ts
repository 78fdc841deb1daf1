import type { Fields } from '../../core/errors.js'
import {
  CURSOR,
  fieldsOf,
  type OperationValues,
  parametersOf,
  pick,
  type Tool,
  type ToolCall,
  ToolError,
  textOf,
  toSlice,
} from '../tool.js'

const SECONDS: { readonly [interval: string]: number } = { '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400 }

export const cryptoWindowsTool: Tool = {
  name: 'get_crypto_windows',
  title: 'Up-or-down windows of coins',
  description:
    'The running 5-minute up-or-down markets of all coins with the price of Up and Down. With `symbol` also where its window began (the price to beat) and stands or ended; `interval` and `window` choose another window.',
  operations: ['listActiveCryptoMarkets', 'getWindowPrice'],
  arguments: { ...parametersOf('getWindowPrice', 'symbol', 'interval', 'window'), cursor: CURSOR },
  units:
    'openPrice, closePrice: US dollars a coin; outcomePrices: dollars per share, 0 to 1; window, windowStart: Unix seconds',
  run: async ({ args, ask }) => {
    const { symbol, interval = '5m' } = args
    const { markets, windowStart } = await ask('listActiveCryptoMarkets')
    const coin = textOf(symbol).toLowerCase()
    const running = fieldsOf(markets).filter(({ slug }) => textOf(slug).startsWith(`${coin}-`) || coin === '')
    const rows = running.map(presentWindow)
    const seconds = SECONDS[textOf(interval)] ?? 300
    const window = Number(args.window ?? Math.floor(Number(windowStart) / seconds) * seconds)
    const price = symbol === undefined ? undefined : await readPrice(ask, { symbol, interval, window })
    const head = { windowStart, ...(price !== undefined && { price }) }
    return { head, ...toSlice(args, 'running', rows), narrowBy: ['symbol'] }
  },
}

/** A window that began just now, or before the archive, may have no price: its market is shown all the same. */
async function readPrice(ask: ToolCall['ask'], query: OperationValues): Promise<Fields> {
  try {
    const body = await ask('getWindowPrice', query)
    return { ...query, ...pick(body, ['openPrice', 'closePrice', 'completed']) }
  } catch (error) {
    if (!(error instanceof ToolError) || error.status !== 404) throw error
    return { ...query, unknown: 'no price of this window is known' }
  }
}

function presentWindow(event: Fields): Fields {
  const [market = {}] = fieldsOf(event.markets)
  return { ...pick(event, ['slug', 'endDate']), ...pick(market, ['outcomePrices', 'conditionId']) }
}
