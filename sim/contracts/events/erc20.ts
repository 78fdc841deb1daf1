import { ADDRESS, WORD } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { complementWord, type Word, word, ZERO_WORD } from '../words.js'

export function transfer(token: string, from: Word, to: Word, amount: number): LogBody {
  return {
    address: token,
    topics: [TOPIC.transfer, `0x${from}`, `0x${to}`],
    data: `0x${word(amount)}`,
  }
}

export function movePusd(from: Word, to: Word, amount: number): LogBody {
  return transfer(ADDRESS.pusd, from, to, amount)
}

export function moveUsdce(from: Word, to: Word, amount: number): LogBody {
  return transfer(ADDRESS.usdce, from, to, amount)
}

export function moveWcol(from: Word, to: Word, amount: number): LogBody {
  return transfer(ADDRESS.wcol, from, to, amount)
}

/**
 * USDC.e taken with `transferFrom`: unlike the other two tokens it also logs what is left of the
 * allowance, shown here as if an unlimited one were new.
 */
export function pullUsdce(from: Word, to: Word, spender: Word, amount: number): LogBody[] {
  return [
    moveUsdce(from, to, amount),
    {
      address: ADDRESS.usdce,
      topics: [TOPIC.approval, `0x${from}`, `0x${spender}`],
      data: `0x${complementWord(amount)}`,
    },
  ]
}

/** An unlimited allowance. */
export function allowPusd(owner: Word, spender: Word): LogBody {
  return {
    address: ADDRESS.pusd,
    topics: [TOPIC.approval, `0x${owner}`, `0x${spender}`],
    data: `0x${complementWord(0)}`,
  }
}

export function mintWcol(amount: number): LogBody {
  return moveWcol(ZERO_WORD, WORD.negRiskAdapter, amount)
}

export function burnWcol(amount: number): LogBody {
  return moveWcol(WORD.negRiskAdapter, ZERO_WORD, amount)
}

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
