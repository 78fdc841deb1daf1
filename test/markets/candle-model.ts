/** A fill of a taking order, as candles see it. Amounts are millionths. */
export type CandleFill = {
  seq: number
  timeSec: number
  isSell: boolean
  usd: bigint
  shares: bigint
  fee: bigint
}

/** Candles as they are defined: fill by fill, with nothing kept between two requests. */
export function modelCandles(fills: readonly CandleFill[], seconds: number) {
  const sorted = [...fills].sort((a, b) => a.seq - b.seq)
  const times = new Set(sorted.map(({ timeSec }) => bucketOf(timeSec, seconds)))
  return [...times]
    .sort((a, b) => a - b)
    .map((timeSec) => {
      const own = sorted.filter((fill) => bucketOf(fill.timeSec, seconds) === timeSec)
      const prices = own.flatMap(({ usd, shares }) => (shares === 0n ? [] : [ratio(usd, shares)]))
      const sum = (pick: (fill: CandleFill) => bigint) => own.reduce((total, fill) => total + pick(fill), 0n)
      const [volume, shares] = [sum(({ usd }) => usd), sum((fill) => fill.shares)]
      return {
        timeSec,
        trades: own.length,
        open: prices.at(0) ?? 0n,
        high: prices.reduce((most, price) => (price > most ? price : most), prices.at(0) ?? 0n),
        low: prices.reduce((least, price) => (price < least ? price : least), prices.at(0) ?? 0n),
        close: prices.at(-1) ?? 0n,
        volume,
        shares,
        buyVolume: sum(({ isSell, usd }) => (isSell ? 0n : usd)),
        fees: sum(({ fee }) => fee),
        vwap: shares === 0n ? 0n : ratio(volume, shares),
        first: own.at(0),
        last: own.at(-1),
      }
    })
}

export type ModelCandle = ReturnType<typeof modelCandles>[number]

const bucketOf = (timeSec: number, seconds: number): number => timeSec - (timeSec % seconds)

/** Millionths, rounded half up. */
function ratio(usd: bigint, shares: bigint): bigint {
  const millionths = usd * 1_000_000n
  return millionths / shares + ((millionths % shares) * 2n >= shares ? 1n : 0n)
}
