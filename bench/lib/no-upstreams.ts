/** A service with these settings calls no host outside of this machine: no process listens on this port. */
export const NO_UPSTREAMS = {
  AUSPEX_GAMMA_URL: 'http://127.0.0.1:9',
  AUSPEX_CLOB_URL: 'http://127.0.0.1:9',
  AUSPEX_DATA_API_URL: 'http://127.0.0.1:9',
  AUSPEX_SITE_URL: 'http://127.0.0.1:9',
  AUSPEX_RTDS_WS_URL: 'off',
  AUSPEX_SPORTS_WS_URL: 'off',
}
