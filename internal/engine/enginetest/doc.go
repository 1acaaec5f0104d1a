// Package enginetest is what contexts promise, as a test suite that runs on each store.
//
//	func TestStore(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T) engine.Contexts { return engine.Open(mystore.New()) })
//	}
package enginetest
