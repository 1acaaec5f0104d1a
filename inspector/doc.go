// Package inspector has the pages that show contexts in a browser. inspector/src has their
// source, from which inspector/build makes the files that are embedded here.
package inspector
