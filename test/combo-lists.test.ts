import { openComboWorld } from './combo-world.js'
import { COMBO_LISTS } from './lists/combos.js'
import { testLists } from './lists/test-lists.js'

testLists(openComboWorld, COMBO_LISTS)
