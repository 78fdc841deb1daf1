/** What a contract does, which decides the events that it emits. */
export type ContractRole =
  | 'conditionalTokens'
  | 'exchangeV1'
  | 'exchange'
  | 'feeModule'
  | 'negRiskAdapter'
  | 'negRiskOperator'
  | 'negRiskVault'
  | 'negRiskBurn'
  | 'umaAdapterV1'
  | 'umaAdapter'
  | 'optimisticOracle'
  | 'sportsOracle'
  | 'pusd'
  | 'pusdVault'
  | 'erc20'
  | 'ramp'
  | 'collateralAdapter'
  | 'positionManager'
  | 'binaryModule'
  | 'negRiskModule'
  | 'combinatorialModule'
  | 'router'
  | 'autoRedeemer'
  | 'legacyAutoRedeemer'
  | 'feeReceiver'
  | 'proxyFactory'
  | 'safeFactory'
  | 'depositFactory'
  | 'relayHub'
  | 'multiSend'
  | 'fpmmFactory'
  | 'perps'

/** Counts the deployments that follow each other in one role; 1 where there is only one. */
export type Generation = 1 | 2 | 3 | 4

export type Contract = {
  /** Lower-case. */
  address: string
  role: ContractRole
  generation: Generation
  /** Serves markets whose questions exclude each other. */
  negRisk: boolean
  /** Where to begin to read it: no log that matters is older. 0 where nothing is read. */
  fromBlock: number
}

type Row = readonly [ContractRole, Generation, address: string, fromBlock: number, negRisk?: 'negRisk']

/** A new deployment of a known contract is a new row here and nothing else. */
const ROWS: readonly Row[] = [
  ['conditionalTokens', 1, '0x4d97dcd97ec945f40cf65f87097ace5ea0476045', 4_023_686],

  ['exchangeV1', 1, '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e', 33_605_403],
  ['exchangeV1', 1, '0xc5d563a36ae78145c45a50134d48a1215220f80a', 50_505_492, 'negRisk'],
  ['exchange', 2, '0xe111180000d2663c0091e4f400237545b87b996b', 85_000_000],
  ['exchange', 2, '0xe2222d279d744050d28e00520010520000310f59', 85_000_000, 'negRisk'],
  // Named by one older client only.
  ['exchange', 2, '0xe2222d002000ba0053cef3375333610f64600036', 85_000_000, 'negRisk'],
  ['exchange', 3, '0xe3333700ca9d93003f00f0f71f8515005f6c00aa', 86_000_000],
  ['feeModule', 1, '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0', 75_253_526],
  ['feeModule', 1, '0x78769d50be1763ed1ca0d5e878d93f05aabff29e', 50_505_492, 'negRisk'],
  ['feeModule', 2, '0xb768891e3130f6df18214ac804d4db76c2c37730', 75_253_721, 'negRisk'],
  ['feeReceiver', 3, '0x115f48dc2a731aa16251c6d6e1befc42f92accc9', 0],

  ['negRiskAdapter', 1, '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296', 50_505_403, 'negRisk'],
  ['negRiskOperator', 1, '0x71523d0f655b41e805cec45b17163f528b59b820', 50_505_403, 'negRisk'],
  ['negRiskVault', 1, '0x7f67327e88c258932d7d8f72950be0d46975e11d', 50_505_403, 'negRisk'],
  ['negRiskBurn', 1, '0xa5ef39c3d3e10d0b270233af41cac69796b12966', 50_505_403, 'negRisk'],

  ['umaAdapterV1', 1, '0xcb1822859cef82cd2eb4e6276c7916e692995130', 23_569_780],
  ['umaAdapter', 2, '0x6a9d222616c90fca5754cd1333cfd9b7fb6a4f74', 35_203_539],
  ['umaAdapter', 3, '0x157ce2d672854c848c9b79c49a8cc6cc89176a49', 46_755_254],
  ['umaAdapter', 4, '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7', 74_797_879],
  ['umaAdapter', 3, '0x2f5e3684cb1f318ec51b00edba38d79ac2c0aa9d', 50_505_488, 'negRisk'],
  ['umaAdapter', 4, '0x69c47de9d4d3dad79590d61b9e05918e03775f24', 82_000_000, 'negRisk'],
  ['optimisticOracle', 1, '0xbb1a8db2d4350976a11cdfa60a1d43f97710da49', 23_569_780],
  ['optimisticOracle', 2, '0xee3afe347d5c74317041e2618c49534daf887c24', 35_203_539],
  ['optimisticOracle', 3, '0x2c0367a9db231ddebd88a94b4f6461a6e47c58b1', 74_677_419],
  ['sportsOracle', 1, '0xb21182d0494521cf45dbbeebb5a3acaab6d22093', 68_931_384],

  ['pusd', 1, '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb', 85_000_000],
  ['pusdVault', 1, '0xc417fd8e9661c0d2120b64a04bb3278c17e99db1', 85_000_000],
  // USDC.e, native USDC, and the wrapped collateral inside neg-risk token ids.
  ['erc20', 1, '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', 5_013_591],
  ['erc20', 2, '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', 0],
  ['erc20', 1, '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2', 50_505_403, 'negRisk'],
  ['ramp', 1, '0x93070a847efef7f70739046a929d47a521f5b8ee', 85_000_000],
  ['ramp', 1, '0x2957922eb93258b93368531d39facca3b4dc5854', 85_000_000],
  ['ramp', 1, '0xebc2459ec962869ca4c0bd1e06368272732bcb08', 85_000_000],
  ['collateralAdapter', 1, '0xada100874d00e3331d00f2007a9c336a65009718', 85_000_000],
  ['collateralAdapter', 2, '0xada100db00ca00073811820692005400218fce1f', 85_000_000],
  ['collateralAdapter', 1, '0xada200001000ef00d07553cee7006808f895c6f1', 85_000_000, 'negRisk'],
  ['collateralAdapter', 2, '0xada2005600dec949baf300f4c6120000bdb6eaab', 85_000_000, 'negRisk'],
  ['perps', 1, '0xdca4af75705dbb50f62437045aff9921947917d2', 85_000_000],

  ['positionManager', 1, '0x006f54f7f9a22e0000cc2ab60031000000ae9fef', 86_000_000],
  ['binaryModule', 1, '0x1000008dd9001b968442c1000017eae6e0da00ba', 86_000_000],
  ['negRiskModule', 1, '0x200000900045e3b6259600682756002200028933', 86_000_000, 'negRisk'],
  ['combinatorialModule', 1, '0x30000034706c7d8e12009dab006be20000c031a8', 86_000_000],
  ['router', 1, '0x12121212006e4cd160d18e3f00711da5c3372600', 86_000_000],
  ['autoRedeemer', 2, '0xa1200000d0002264c9a1698e001292d00e1b00af', 86_000_000],
  ['legacyAutoRedeemer', 1, '0xf3cfb6a6ebfeb51876289eb235719eb1c65252b0', 0],

  ['proxyFactory', 1, '0xab45c5a4b0c941a2f231c04c3f49182e1a254052', 4_022_827],
  ['safeFactory', 1, '0xaacfeea03eb1561c4e67d661e40682bd20e3541b', 19_426_226],
  ['depositFactory', 1, '0x00000000000fb5c9adea0298d729a0cb3823cc07', 85_000_000],
  ['relayHub', 1, '0xd216153c06e857cd7f72665e0af1d7d82172f494', 3_764_531],
  ['multiSend', 1, '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761', 0],
  ['fpmmFactory', 1, '0x8b9805a2f595b6705e74f7310829f2d299d21522', 4_023_693],
]

export const CONTRACTS: readonly Contract[] = ROWS.map(([role, generation, address, fromBlock, negRisk]) => ({
  address,
  role,
  generation,
  negRisk: negRisk !== undefined,
  fromBlock,
}))

/** Those of the platform, which act for wallets and own nothing. */
export const CONTRACT_ADDRESSES: ReadonlySet<string> = new Set(CONTRACTS.map(({ address }) => address))

/** Every exchange that ever was: a fill whose taker is one of these describes the taker's own order. */
export const EXCHANGES: ReadonlySet<string> = new Set(
  CONTRACTS.filter(({ role }) => role === 'exchangeV1' || role === 'exchange').map(({ address }) => address),
)
