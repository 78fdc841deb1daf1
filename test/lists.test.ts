import { openApiWorld } from './api-world.js'
import { SUBJECTS } from './lists/subjects.js'
import { testLists } from './lists/test-lists.js'

testLists(openApiWorld, SUBJECTS)
