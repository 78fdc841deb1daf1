import { openApiWorld } from './api-world.js'
import { POSITION_LISTS } from './lists/positions.js'
import { BUILDER_LISTS } from './lists/builders.js'
import { testLists } from './lists/test-lists.js'
import { TRADE_LISTS } from './lists/trades.js'

/** One name for each domain that has lists. */
testLists(openApiWorld, [...TRADE_LISTS, ...POSITION_LISTS])
testLists(openApiWorld, [...TRADE_LISTS, ...BUILDER_LISTS])
