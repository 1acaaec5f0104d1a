package main

import "context"

func Example() {
	if err := run(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// @c1 [{"content":"You are terse.","role":"system"},{"content":"Hello!","role":"user"}]
	// I was sent 81 bytes.
	// @c2 [{"content":"You are terse.","role":"system"},{"content":"Hello!","role":"user"},{"content":"I was sent 81 bytes.","role":"assistant"},{"content":"What is a context tree?","role":"user"}]
	// I was sent 187 bytes.
}
