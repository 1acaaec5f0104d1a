import './text.test'
import './panes.test'
import './selector.test'
import { finish } from './harness'

finish()
