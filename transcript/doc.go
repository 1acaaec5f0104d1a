// Package transcript turns conversation logs into contexts and snapshots back
// into the messages of a provider (07 §4.1).
//
// It reads OpenAI chat messages (a JSON array, an object with messages, JSON
// Lines), tau-bench result files and trajectories of SWE-agent and SWE-smith. A context made of
// one has a cycle for each model call, and the snapshot of cycle k is exactly
// what call k was sent: its answer belongs to the cycle after it. The messages
// after the last call are the working state.
//
// Leading system messages become blocks of ^sys, everything else blocks of
// turns. Within a turn the core holds what comes before the first tool call or
// result; from there on blocks follow at offset 1 (02 §4.1.1), so that a call
// and its result can be removed later without touching a sealed core.
//
//	in the file          kind    role            content
//	text, text part      text    of the message  the string
//	image_url part       image   of the message  the value of image_url
//	any other part       type    of the message  the whole part
//	tool call            call    assistant       the value of function
//	tool message         result  tool            as it came
//
// A call and its result refer to each other; a result that comes cycles later
// refers to its call, which is sealed by then. What else a message has goes to
// custom attributes, those of record.AddRequest, so that OpenAI gives back equal
// JSON values. A frame is a JSON value with a hole, the string "@", for each part
// that was taken out:
//
//	wire:frame   on the first block of a message: {"parts": how many blocks,
//	             "frame": the message, "part": the frame of this part}
//	wire:part    on each other block: its number, the id of the first block,
//	             and the frame of its part
//	wire:call    the id by which a call and its result belong together
//	wire:failed  true on a result that a field of its message calls failed
//
// So what belongs to one part goes with its block, and the fields of the message
// with the first block.
//
// Fields of the conversation itself are an attribute of the root, named after
// the shape of the file: openai:conversation, tau-bench:conversation,
// swe-smith:conversation.
package transcript
