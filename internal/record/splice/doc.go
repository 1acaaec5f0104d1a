// Package splice finds values in the bytes of a JSON body and replaces some of them. It
// never writes the rest anew: numbers keep their spelling, members their order, and every
// byte outside an edit stays.
package splice
