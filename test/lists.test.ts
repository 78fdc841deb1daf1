import { openApiWorld } from './api-world.js'
import { BUILDER_LISTS } from './lists/builders.js'
import { CATALOGUE_LISTS } from './lists/catalogue.js'
import { POSITION_LISTS } from './lists/positions.js'
import { testLists } from './lists/test-lists.js'
import { TRADE_LISTS } from './lists/trades.js'

/** One name for each domain that has lists. */
const SUBJECTS = [TRADE_LISTS, POSITION_LISTS, BUILDER_LISTS, CATALOGUE_LISTS]

testLists(openApiWorld, SUBJECTS.flat())
