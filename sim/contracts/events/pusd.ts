import { ADDRESS, WORD } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word } from '../words.js'

export function wrapped(caller: Word, to: Word, amount: number): LogBody {
  return wrapOrUnwrap(TOPIC.wrapped, caller, to, amount)
}

export function unwrapped(caller: Word, to: Word, amount: number): LogBody {
  return wrapOrUnwrap(TOPIC.unwrapped, caller, to, amount)
}

function wrapOrUnwrap(topic: string, caller: Word, to: Word, amount: number): LogBody {
  return {
    address: ADDRESS.pusd,
    topics: [topic, `0x${caller}`, `0x${WORD.usdce}`, `0x${to}`],
    data: `0x${word(amount)}`,
  }
}
