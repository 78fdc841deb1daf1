import { Type } from 'typebox'

export const ComboTrade = Type.Object({
  position_type: Type.Literal('combo'),
  wallet_role: Type.String({ enum: ['maker', 'taker'] }),
  wallet_address: Type.String(),
  counterparty_address: Type.String({ description: 'the exchange for an order that took' }),
  combo_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  condition_id: Type.String({ description: 'the same' }),
  position_id: Type.String(),
  side: Type.String({ enum: ['BUY', 'SELL'], description: 'what the owner of the order does' }),
  price: Type.String({ description: '4 decimals' }),
  size: Type.String({ description: 'shares, 6 decimals' }),
  fee: Type.String({ description: 'dollars, 6 decimals' }),
  tx_hash: Type.String(),
  log_index: Type.Integer({ minimum: 0 }),
  block_number: Type.Integer({ minimum: 0 }),
  timestamp: Type.Integer({ description: 'Unix seconds' }),
  source: Type.Optional(Type.String({ description: 'only beside trades of other markets' })),
})
