import { seqOf } from '../../core/seq.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { Reading } from './reading.js'
import { isProtocol, ZERO_ADDRESS } from './roles.js'

/**
 * Counts, transaction by transaction, who moves the tokens of others without being one of our
 * contracts. Who makes tokens for himself moves nobody else's.
 */
export function watchOperator({ tape, tx }: Reading, log: ChainLog, move: Transfer): void {
  const { operator, from, to } = move
  if (operator === from || isProtocol(operator)) return
  if (operator === to && from === ZERO_ADDRESS) return
  const { strangeOperators } = tape
  for (let index = strangeOperators.length - 1; index >= 0; index--) {
    const known = strangeOperators[index]
    if (known === undefined || known.seq < tx.firstSeq) break
    if (known.operator !== operator) continue
    known.transfers++
    return
  }
  strangeOperators.push({ seq: seqOf(tx.block, log.at.logIndex), operator, transfers: 1 })
}

type Transfer = DecodedEventOf<'transferSingle'> | DecodedEventOf<'transferBatch'>
