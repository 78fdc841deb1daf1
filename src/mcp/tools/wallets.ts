import type { Fields } from '../../core/errors.js'
import { parseAddress } from '../../core/ids.js'
import {
  fieldsOf,
  parameterOf,
  parametersOf,
  pick,
  type Tool,
  type ToolCall,
  ToolError,
  textOf,
  toListAnswer,
} from '../tool.js'

const WALLET = parameterOf('resolveIdentity', 'query')

/** The address of a wallet; usernames are looked up. */
async function findWallet({ ask }: Pick<ToolCall, 'ask'>, wallet: unknown): Promise<string> {
  const query = textOf(wallet)
  const address = parseAddress(query)
  if (address !== undefined) return address
  const { safe } = await ask('resolveIdentity', { query })
  if (typeof safe === 'string') return safe
  throw new ToolError('No wallet is known by this name. `search` with `@` and a part of it finds usernames.')
}

const TOTALS = [
  'total_pnl',
  'net_realized_pnl',
  'unrealized_pnl',
  'gross_profit',
  'gross_loss',
  'wins',
  'losses',
  'position_count',
  'open_positions',
  'total_volume',
]
const POSITION_FIELDS = [
  'market',
  'slug',
  'outcome',
  'size',
  'avg_price',
  'current_price',
  'realized_pnl',
  'unrealized_pnl',
  'total_pnl',
  'status',
]
/** A price that is not known is 0 without a source in the API, which a model would take for a worthless share. */
function toPositions(body: Fields) {
  const positions = fieldsOf(body.positions).map((row) =>
    row.price_source === null ? { ...row, current_price: null } : row,
  )
  return toListAnswer({ ...body, positions }, { name: 'positions', keep: POSITION_FIELDS })
}

const POSITION_UNITS =
  'pnl fields, gross_profit, gross_loss: US dollars; avg_price, current_price: dollars per share, 0 to 1, absent where not known and counted as 0; size, total_volume: shares'

export const walletTool: Tool = {
  name: 'get_wallet',
  title: 'A wallet with profit and loss',
  description:
    'Profit and loss of a wallet (address or username) over all time, what it realized in `period`, and its largest open positions.',
  operations: ['resolveIdentity', 'getWallet', 'getWalletPnl', 'listWalletPositions'],
  arguments: { wallet: WALLET, period: parameterOf('getWalletPnl', 'period') },
  required: ['wallet'],
  units: `${POSITION_UNITS}; wins, losses and counts: positions, in_period: steps`,
  run: async (call) => {
    const { ask, args } = call
    const address = await findWallet(call, args.wallet)
    const totals = await ask('getWallet', { address })
    const period = textOf(args.period) || '7d'
    const recent = await ask('getWalletPnl', { address, period })
    const largest = { address, status: 'open', sort: 'size', limit: 5 }
    const { name, rows } = toPositions(await ask('listWalletPositions', largest))
    const in_period = { period, ...pick(recent, ['realized_pnl', 'wins', 'losses', 'events']) }
    const head = { address, ...pick(totals, TOTALS), in_period, see_also: 'list_positions, list_trades' }
    return { head, name, rows, next: () => null, narrowBy: [] }
  },
}

export const compareTool: Tool = {
  name: 'compare_wallets',
  title: 'Compare two wallets',
  description:
    'Two wallets (addresses or usernames) side by side: profit and loss of all time, and what each realized in `period`. `difference` is the first minus the second.',
  operations: ['resolveIdentity', 'getWallet', 'getWalletPnl'],
  arguments: { wallet: WALLET, other_wallet: WALLET, period: parameterOf('getWalletPnl', 'period') },
  required: ['wallet', 'other_wallet'],
  units: POSITION_UNITS,
  run: async (call) => {
    const period = textOf(call.args.period) || '7d'
    const first = await readTotals(call, 'wallet', period)
    const second = await readTotals(call, 'other_wallet', period)
    const difference = subtract(first, second)
    const rows = [first, second, { wallet: 'difference', ...difference }]
    return { head: { period }, name: 'wallets', rows, next: () => null, narrowBy: [] }
  },
}

async function readTotals(call: ToolCall, argument: string, period: string): Promise<Fields> {
  const { ask, args } = call
  const read = async (): Promise<Fields> => {
    const address = await findWallet(call, args[argument])
    const totals = pick(await ask('getWallet', { address }), TOTALS)
    const { realized_pnl } = await ask('getWalletPnl', { address, period })
    return { wallet: address, ...totals, realized_pnl_in_period: realized_pnl }
  }
  return await read().catch((error) => {
    // Both operations have the same parameters.
    if (error instanceof ToolError) throw new ToolError(`${argument}: ${error.message}`)
    throw error
  })
}

function subtract(first: Fields, second: Fields): Fields {
  const numbers = Object.entries(first).flatMap(([name, value]): [string, number][] =>
    typeof value === 'number' ? [[name, Math.round((value - Number(second[name])) * 1e6) / 1e6]] : [],
  )
  return Object.fromEntries(numbers)
}

export const positionsTool: Tool = {
  name: 'list_positions',
  title: 'Positions of a wallet',
  description: 'What a wallet (address or username) holds and held, with cost, price and profit of each.',
  operations: ['resolveIdentity', 'listWalletPositions'],
  arguments: {
    wallet: WALLET,
    ...parametersOf(
      'listWalletPositions',
      ...['status', 'sort', 'order', 'condition_id', 'market_slug', 'min_size', 'limit', 'cursor'],
    ),
  },
  required: ['wallet'],
  limit: 15,
  units: POSITION_UNITS,
  run: async (call) => {
    const { wallet, ...filters } = call.args
    const address = await findWallet(call, wallet)
    const body = await call.ask('listWalletPositions', { ...filters, address })
    const narrowBy = ['status', 'market_slug', 'min_size', 'limit']
    return { head: { address }, ...toPositions(body), narrowBy }
  },
}

export const tradesTool: Tool = {
  name: 'list_trades',
  title: 'Trades',
  description:
    'Trades, newest first: of everything, of a market or an event, or of a wallet (address or username). For volume use `fills=taker`, which has each match once.',
  operations: ['resolveIdentity', 'listTrades', 'listWalletTrades'],
  arguments: {
    wallet: WALLET,
    ...parametersOf(
      'listTrades',
      ...['market_slug', 'condition_id', 'event_slug', 'token_id', 'after', 'before', 'min_amount_usd'],
      ...['fills', 'order', 'limit', 'cursor'],
    ),
  },
  limit: 20,
  units:
    'amount_usd, fee: US dollars; size: shares; price: dollars per share, 0 to 1; timestamp: Unix seconds; direction: what the wallet of the request, else `maker`, did',
  run: async (call) => {
    const { wallet, ...query } = call.args
    const address = wallet === undefined ? undefined : await findWallet(call, wallet)
    const body =
      address === undefined
        ? await call.ask('listTrades', query)
        : await call.ask('listWalletTrades', { ...query, address })
    const keep = [
      ...['timestamp', 'direction', 'outcome', 'slug', 'size', 'price', 'amount_usd', 'fee'],
      ...(address === undefined ? ['maker'] : ['role']),
      ...['is_taker_order', 'transaction_hash'],
    ]
    const head = address === undefined ? {} : { address }
    const narrowBy = ['market_slug', 'after', 'before', 'min_amount_usd', 'limit']
    return { head, ...toListAnswer(body, { name: 'trades', keep }), narrowBy }
  },
}

export const leaderboardTool: Tool = {
  name: 'get_leaderboard',
  title: 'Wallets by profit',
  description: 'The most profitable wallets, over all markets or of a category, tag, market or event.',
  operations: ['listLeaderboard'],
  arguments: parametersOf(
    'listLeaderboard',
    ...['period', 'sort', 'category', 'tag_slug', 'market_slug', 'event_slug', 'limit', 'cursor'],
  ),
  limit: 10,
  units: 'pnl fields: US dollars; total_volume: shares; as_of: Unix seconds',
  run: async ({ args, ask }) => {
    const body = await ask('listLeaderboard', args)
    const keep = ['rank', 'wallet', 'total_pnl', 'realized_pnl', 'unrealized_pnl', 'wins', 'losses']
    const rows = toListAnswer(body, { name: 'leaderboard', keep: [...keep, 'total_volume'] })
    const head = pick(body, ['period', 'scope', 'value', 'sort', 'as_of'])
    return { head, ...rows, narrowBy: ['category', 'tag_slug', 'limit'] }
  },
}

export const resolutionsTool: Tool = {
  name: 'list_resolutions',
  title: 'Results of markets',
  description: 'Which markets were decided, newest first, and what each outcome pays.',
  operations: ['listResolutions'],
  arguments: parametersOf('listResolutions', 'after', 'before', 'condition_id', 'limit', 'cursor'),
  limit: 15,
  units:
    'payout_numerators: of each outcome, in parts of payout_denominator dollars a share; resolved_at: Unix milliseconds',
  run: async ({ args, ask }) => {
    const body = await ask('listResolutions', args)
    const keep = ['question', 'slug', 'outcomes', 'payout_numerators', 'payout_denominator', 'resolved_at']
    const rows = toListAnswer(body, { name: 'resolutions', field: 'data', keep })
    return { head: {}, ...rows, narrowBy: ['after', 'before', 'limit'] }
  },
}
