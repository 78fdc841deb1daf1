/** First four bytes of the calldata of the functions that transactions call. */
export const SELECTOR = {
  /** Fee module of exchange V1, exchange V1 itself, V2, V3. */
  matchOrdersWithRefunds: '0x2287e350',
  matchOrdersV1: '0xe60f0c05',
  matchOrdersV2: '0x3c2b4399',
  matchOrdersV3: '0x0fb25ba4',

  /** Conditional tokens and collateral adapters share these three. */
  splitPosition: '0x72ce4275',
  mergePositions: '0x9e7212ad',
  redeemPositions: '0x01b7037c',
  negRiskSplitPosition: '0xa3d7da1d',
  negRiskMergePositions: '0xb10c5c17',
  negRiskRedeemPositions: '0xdbeccb23',
  convertPositions: '0xc64748c4',
  safeTransferFrom: '0xf242432a',
  safeBatchTransferFrom: '0x2eb2c2d6',

  wrap: '0x62355638',
  unwrap: '0x8cc7104f',
  autoRedeemBinary: '0xc9489691',
  autoRedeemNegRisk: '0x5ede0646',
  autoRedeem: '0x53d190cf',
  routerRedeem: '0xd217a3cc',

  initialize: '0x185d1646',
  resolve: '0x5c23bdf5',
  proposePrice: '0xb8b4f908',
  disputePrice: '0xfba7f1e3',
  prepareMarket: '0x8a0db615',
  prepareCondition: '0x097dd164',
  prepareMigration: '0x3ae2319a',
  resolveMigration: '0xf37d5729',
  migratePositions: '0xaedac620',

  createSafe: '0xa1884d2c',
  proxy: '0x34ee9791',
  relayCall: '0x405cec67',
  deployWallets: '0x77835641',
} as const
