import { SIM_CREDENTIALS, type UpstreamUrls } from '../sim/simulator.js'
import { FIRST_NUMBER } from '../sim/universe/chain.js'
import type { Environment } from '../src/config/config.js'

/** The variables that point every connector at the simulator, and ask for all of its history. */
export function simulatedEnvironment(urls: UpstreamUrls): Environment {
  const { liveV2, chainlink } = SIM_CREDENTIALS
  return {
    AUSPEX_POLYGON_URL: urls.polygon_http,
    AUSPEX_POLYGON_WS_URL: urls.polygon_ws,
    AUSPEX_POLYGON_CALLS_PER_SECOND: '1000',
    AUSPEX_FROM_BLOCK: String(FIRST_NUMBER),
    AUSPEX_GAMMA_URL: urls.gamma,
    AUSPEX_CLOB_URL: urls.clob,
    AUSPEX_CLOB_WS_URL: urls.clob_ws,
    AUSPEX_DATA_API_URL: urls.data_api,
    AUSPEX_SITE_URL: urls.site,
    AUSPEX_RTDS_WS_URL: urls.rtds,
    AUSPEX_LIVE_V2_WS_URL: urls.live_v2,
    AUSPEX_CHAINLINK_URL: urls.chainlink,
    AUSPEX_CHAINLINK_WS_URL: urls.chainlink_ws,
    AUSPEX_CLOB_API_KEY: liveV2.apiKey,
    AUSPEX_CLOB_SECRET: liveV2.secret,
    AUSPEX_CLOB_PASSPHRASE: liveV2.passphrase,
    AUSPEX_CHAINLINK_API_KEY: chainlink.apiKey,
    AUSPEX_CHAINLINK_SECRET: chainlink.secret,
  }
}
