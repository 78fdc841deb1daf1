import { ADDRESS } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word } from '../words.js'

/** `id` is 0x and 64 hex digits: a condition, or for a structured position the position itself. */
type AutoRedemption = { from: Word; id: string; payout: number }

export function autoRedemption(redemption: AutoRedemption): LogBody {
  return redeemerLog(TOPIC.autoRedemption, redemption)
}

export function autoBinaryRedemption(redemption: AutoRedemption): LogBody {
  return redeemerLog(TOPIC.autoBinaryRedemption, redemption)
}

export function autoNegRiskRedemption(redemption: AutoRedemption): LogBody {
  return redeemerLog(TOPIC.autoNegRiskRedemption, redemption)
}

function redeemerLog(topic: string, { from, id, payout }: AutoRedemption): LogBody {
  return {
    address: ADDRESS.autoRedeemer,
    topics: [topic, `0x${from}`, id],
    data: `0x${word(payout)}`,
  }
}
