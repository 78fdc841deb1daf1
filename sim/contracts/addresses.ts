import { addressWord, type Word } from './words.js'

/** Polygon contracts, lower-case. */
export const ADDRESS = {
  ctf: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  exchangeV1: '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  negRiskExchangeV1: '0xc5d563a36ae78145c45a50134d48a1215220f80a',
  exchangeV2: '0xe111180000d2663c0091e4f400237545b87b996b',
  negRiskExchangeV2: '0xe2222d279d744050d28e00520010520000310f59',
  exchangeV3: '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
  feeModule: '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0',
  negRiskFeeModule: '0xb768891e3130f6df18214ac804d4db76c2c37730',
  feeReceiver: '0x115f48dc2a731aa16251c6d6e1befc42f92accc9',

  negRiskAdapter: '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296',
  negRiskOperator: '0x71523d0f655b41e805cec45b17163f528b59b820',
  negRiskVault: '0x7f67327e88c258932d7d8f72950be0d46975e11d',
  negRiskBurn: '0xa5ef39c3d3e10d0b270233af41cac69796b12966',
  wcol: '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2',

  usdce: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
  pusd: '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb',
  pusdVault: '0xc417fd8e9661c0d2120b64a04bb3278c17e99db1',
  onramp: '0x93070a847efef7f70739046a929d47a521f5b8ee',
  offramp: '0x2957922eb93258b93368531d39facca3b4dc5854',
  // The exchanges keep the adapters they were deployed with; users call the later pair.
  exchangeAdapter: '0xada100874d00e3331d00f2007a9c336a65009718',
  negRiskExchangeAdapter: '0xada200001000ef00d07553cee7006808f895c6f1',
  userAdapter: '0xada100db00ca00073811820692005400218fce1f',
  negRiskUserAdapter: '0xada2005600dec949baf300f4c6120000bdb6eaab',

  positionManager: '0x006f54f7f9a22e0000cc2ab60031000000ae9fef',
  binaryModule: '0x1000008dd9001b968442c1000017eae6e0da00ba',
  negRiskModule: '0x200000900045e3b6259600682756002200028933',
  combinatorialModule: '0x30000034706c7d8e12009dab006be20000c031a8',
  router: '0x12121212006e4cd160d18e3f00711da5c3372600',
  autoRedeemer: '0xa1200000d0002264c9a1698e001292d00e1b00af',

  umaAdapterV2: '0x6a9d222616c90fca5754cd1333cfd9b7fb6a4f74',
  umaAdapterV3: '0x157ce2d672854c848c9b79c49a8cc6cc89176a49',
  umaAdapterV4: '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7',
  negRiskUmaAdapterV4: '0x69c47de9d4d3dad79590d61b9e05918e03775f24',
  optimisticOracleV2: '0xee3afe347d5c74317041e2618c49534daf887c24',
  managedOracleV2: '0x2c0367a9db231ddebd88a94b4f6461a6e47c58b1',
  /** Creates the questions; its address ends the text that the oracle is asked. */
  questionCreator: '0x91430cad2d3975766499717fa0d66a78d814e5c5',

  proxyFactory: '0xab45c5a4b0c941a2f231c04c3f49182e1a254052',
  safeFactory: '0xaacfeea03eb1561c4e67d661e40682bd20e3541b',
  depositWalletFactory: '0x00000000000fb5c9adea0298d729a0cb3823cc07',
  depositWalletBeacon: '0x7a18edfe055488a3128f01f563e5b479d92ffc3a',
  depositWalletImplementation: '0x58ca52ebe0dadfdf531cde7062e76746de4db1eb',
  relayHub: '0xd216153c06e857cd7f72665e0af1d7d82172f494',
  relay: '0x7db63fe6d62eb73fb01f8009416f4c2bb4fbda6a',
} as const

export type ContractName = keyof typeof ADDRESS

/** The same addresses as words. */
export const WORD: Readonly<Record<ContractName, Word>> = Object.fromEntries(
  Object.entries(ADDRESS).map(([name, address]) => [name, addressWord(address)]),
) as Record<ContractName, Word>
