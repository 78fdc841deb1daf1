import { parseUnits, toDecimal } from '../core/money.js'
import { UpstreamError } from '../core/upstream-error.js'
import type { ClobClient } from '../upstreams/clob/client.js'
import type { ClobRebate } from '../upstreams/clob/parse.js'
import { withUpstreamTimeout } from '../upstreams/transport/upstream-timeout.js'

/** `refused`: the order book does not take the address for that of a maker. */
export type Rebates = { rows: ClobRebate[]; refused?: { status: number; said: string } }

/** Asks the order book for what an address got back of the fees of a day, written `2026-11-12`. */
export async function readRebates(
  clob: Pick<ClobClient, 'getRebates'>,
  request: { date: string; address: string; accountId: number },
): Promise<Rebates> {
  const { date, address, accountId } = request
  try {
    const call = (signal: AbortSignal) => clob.getRebates(date, address, { signal, accountId })
    return { rows: await withUpstreamTimeout('clob', call) }
  } catch (error) {
    const { status, said = '' } = error instanceof UpstreamError ? error : {}
    if (status === undefined || !REFUSALS.has(status)) throw error
    return { rows: [], refused: { status, said } }
  }
}

/** With any other status the order book refuses us, not the address. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 422])

/** The order book may write more decimals than money has: they are summed, and the sum is rounded. */
export function sumRebates(rows: readonly ClobRebate[]): number {
  const sum = rows.reduce((all, row) => all + parseUnits(row.rebatedFeesUsdc, 12), 0n)
  return toDecimal((sum + 500_000n) / 1_000_000n)
}
