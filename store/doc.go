// Package store is the contract for places that keep bytes. A store knows spaces, keys, values
// and logs; it knows no tree, no node and no policy. Package pact keeps contexts in any store,
// and package storetest tests each.
package store
