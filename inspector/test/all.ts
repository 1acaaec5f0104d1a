import './address.test'
import './family.test'
import './format.test'
import './layout.test'
import './text.test'
import './panes.test'
import './selector.test'
import { finish } from './harness'

finish()
