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
// refers to its call, which is sealed by then. The other fields of a message
// go to custom attributes, so that OpenAI gives back equal JSON values:
//
//	openai:message  {"n": number of the message, "content": its form where blocks
//	                cannot tell, "rest": fields of the message, on its first block}
//	openai:role     the role where it is none of 01 §2
//	openai:part     fields of a text or image part besides type and text or image_url
//	openai:call     fields of a tool call besides function
//	openai:form     "part" or "call": the content is the whole of it;
//	                "function_call": the call came in the field of that name
//
// Fields of the conversation itself are an attribute of the root, named after
// the shape of the file: openai:conversation, tau-bench:conversation,
// swe-smith:conversation.
package transcript
