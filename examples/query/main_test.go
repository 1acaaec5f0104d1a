package main

import "context"

func Example() {
	if err := run(context.Background(), "../conversations/weather.json"); err != nil {
		panic(err)
	}
	// Output:
	// @t0 ^sys .cb                               [cb:1-0]
	// @t0 ^seq .mt:depth(1-2) .cb[role='user']   [cb:5-1 cb:6-1]
	// @c2 .cb[kind='call']                       [cb:2-1]
	// @* .cb[role='tool']                        [cb:2-2 cb:4-1]
	// diff @t-1 @t0                              {"added":["mt:6-2","mc:6-3","cb:6-0","cb:6-1","ah:6-4"],"removed":["ah:5-4"],"changed":[]}
}
