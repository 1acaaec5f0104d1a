// Package strata answers what the picture of a context shows: a column for each call, and in
// it a band for each block in the order of the thread, so that a band runs through all calls
// that carried its block. It also lists the calls themselves, with what each repeats of the
// call before it and why it repeats no more.
//
// A column names only the bands that differ from the column before. It is made from the sums
// that trees keep, so a call costs what is new in it and not all of its blocks. [Reader.Strata]
// reduces a picture to the columns and rows that are asked for, and to 200 kB of JSON.
package strata
