import type { Books, Question } from './books.js'
import {
  EXCHANGE_NAMES,
  EXCHANGE_V1,
  FEE_MODULE,
  NEG_RISK_EXCHANGE_V1,
  NEG_RISK_FEE_MODULE,
} from './contracts.js'
import { type Fee, type Fill, type Matched, type MatchLogs, type Refund, sharesOf, usdOf } from './fills.js'

/** Orders that were paired just before the result may settle just after it. */
const LATE_BLOCKS_MAX = 5

/** The caller that matches orders on the first exchanges gets the fees. */
export const FEE_MODULES: ReadonlyMap<string, string> = new Map([
  [EXCHANGE_V1, FEE_MODULE],
  [NEG_RISK_EXCHANGE_V1, NEG_RISK_FEE_MODULE],
])

/** One taker order against resting ones: what the exchange says of it agrees with itself. */
export function checkMatch(books: Books, { fills, matched, fees, refunds }: MatchLogs): void {
  const [match, ...others] = matched
  const taker = fills.at(-1)
  const makers = fills.slice(0, -1)
  if (match === undefined || taker === undefined || makers.length === 0 || others.length > 0) {
    books.report(`${fills.length} fills in ${matched.length} matches`)
    return
  }
  checkEnding(books, match, taker, fills.length)
  for (const maker of makers) {
    if (maker.exchange !== taker.exchange || maker.taker !== taker.maker) {
      books.report(`order ${maker.orderHash} was filled by another taker`)
    }
  }
  const question = books.questions.get(taker.terms.asset)
  if (question === undefined) books.report(`no condition has ${taker.terms.asset}`)
  else {
    checkVenue(books, question, taker.exchange)
    checkAmounts(books, question, taker, makers)
  }
  checkFees(books, fills, fees)
  checkRefunds(books, taker.exchange, fills, refunds)
}

/** The log of the taker's order is the last of the fills, and the match repeats it. */
function checkEnding(books: Books, match: Matched, taker: Fill, fills: number): void {
  const [logged, meant] = [match.terms, taker.terms]
  const repeats =
    match.after === fills &&
    match.exchange === taker.exchange &&
    match.orderHash === taker.orderHash &&
    match.maker === taker.maker &&
    logged.buys === meant.buys &&
    logged.asset === meant.asset &&
    logged.making === meant.making &&
    logged.taking === meant.taking
  if (!repeats) books.report(`the match of ${match.orderHash} does not repeat the last fill`)
  if (taker.taker !== taker.exchange) books.report('the last fill is not of the taker')
}

function checkVenue(books: Books, { venues, decidedBlock }: Question, exchange: string): void {
  if (!venues.includes(exchange)) books.report(`${exchange} does not trade this`)
  if (decidedBlock !== undefined && books.block - decidedBlock > LATE_BLOCKS_MAX) {
    books.report(`traded ${books.block - decidedBlock} blocks after its result`)
  }
}

/** Opposite sides trade the same token; the same side of the other token mints or merges sets. */
function checkAmounts(books: Books, { assets }: Question, taker: Fill, makers: readonly Fill[]): void {
  let shares = 0n
  let usd = 0n
  let sets = 0
  for (const maker of makers) {
    const trades = maker.terms.buys !== taker.terms.buys
    const isSame = maker.terms.asset === taker.terms.asset
    if (isSame !== trades || !assets.includes(maker.terms.asset)) {
      books.report(`order ${maker.orderHash} does not fit the taker's`)
    }
    if (!trades) sets += 1
    shares += sharesOf(maker)
    usd += trades ? usdOf(maker) : sharesOf(maker) - usdOf(maker)
  }
  for (const fill of [...makers, taker]) {
    if (usdOf(fill) <= 0n || usdOf(fill) >= sharesOf(fill)) {
      books.report(`${sharesOf(fill)} shares are traded for ${usdOf(fill)}`)
    }
  }
  if (shares !== sharesOf(taker) || usd !== usdOf(taker)) {
    books.report(`makers have ${shares} for ${usd}, the taker ${sharesOf(taker)} for ${usdOf(taker)}`)
  }
  const pairing = taker.terms.buys ? 'mint' : 'merge'
  const kind = sets === 0 ? 'trade' : sets === makers.length ? pairing : `mixed ${pairing}`
  books.note(`${kind} on ${EXCHANGE_NAMES.get(taker.exchange)}`)
}

/** Each fee that a fill names is charged. */
function checkFees(books: Books, fills: readonly Fill[], fees: readonly Fee[]): void {
  const open = new Map<string, bigint>()
  const add = (asset: string, amount: bigint) => open.set(asset, (open.get(asset) ?? 0n) + amount)
  for (const { fee, feeAsset } of fills) add(feeAsset, fee)
  for (const { asset, amount } of fees) add(asset, -amount)
  const count = fills.filter(({ fee }) => fee > 0n).length
  if (count !== fees.length || [...open.values()].some((amount) => amount !== 0n)) {
    books.report(`the fees of ${count} fills are not those charged`)
  }
}

/** What is given back of the fee of an order, and what is said to be kept, is all of it. */
function checkRefunds(
  books: Books,
  exchange: string,
  fills: readonly Fill[],
  refunds: readonly Refund[],
): void {
  if (refunds.length === 0) return
  const open = new Map<string, bigint>()
  for (const { orderHash, fee } of fills) open.set(orderHash, (open.get(orderHash) ?? 0n) + fee)
  for (const { orderHash, refund, charged, module } of refunds) {
    if (module !== FEE_MODULES.get(exchange)) books.report(`${module} refunds what it never had`)
    if (charged > 0n) books.note('refund of a part')
    open.set(orderHash, (open.get(orderHash) ?? 0n) - refund - charged)
  }
  for (const { orderHash } of refunds) {
    if (open.get(orderHash) !== 0n) books.report(`the refund of ${orderHash} is not of its fee`)
  }
}
