// Package storetest is the contract of a store as tests. Every implementation of store.Store
// runs it, also one outside of this module.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return mystore.New() })
//	}
//
// It tests the powers beyond store.Store that the store has, such as store.Eraser. It skips the
// tests of the others and says which power the store lacks.
package enginetest
