import { openApiWorld } from './api-world.js'
import { CATALOGUE_LISTS } from './lists/catalogue.js'
import { POSITION_LISTS } from './lists/positions.js'
import { testLists } from './lists/test-lists.js'
import { TRADE_LISTS } from './lists/trades.js'

/** One name for each domain that has lists. */
testLists(openApiWorld, [...TRADE_LISTS, ...POSITION_LISTS, ...CATALOGUE_LISTS])
