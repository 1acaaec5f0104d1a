// Package kv is the contract for media: places that keep bytes. A medium knows spaces, keys,
// values and logs; it knows no tree, no node and no policy. The engine keeps contexts in any
// medium, and package kvtest tests each.
package kv
