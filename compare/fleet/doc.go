// Package fleet carries the batches of a campaign to workers on other machines, and their replies back, over
// NATS JetStream.
//
// [Serve] is a server for those who have none. A [Worker] takes one batch at a time. A [Submitter] is the
// [measure.Carrier] of a campaign. They meet in two streams and an object store:
//
//   - The stream of jobs is a work queue, with a subject for each environment, binary, campaign and batch.
//   - The stream of results has a subject for each campaign and batch.
//   - The object store has the documents of users, and replies that are large: those with profiles.
//
// A message of a stream is stored only as the first of its subject, which is its id: a batch is there once
// however often it is sent, and the first reply to a batch is the reply, however late another comes. The
// campaign in a subject is the hash of the whole plan.
//
// A worker that dies, or is silent for longer than its lease, loses its batch to another, which does all of
// it anew: ratios stay paired within one machine. The order of writing makes that safe: the reply is stored
// before the batch is acknowledged, and the batch must still be there when the reply is stored.
//
// Beats of workers are in no stream. They tell the trouble of a worker also while the server stores nothing,
// as with a full disk; a worker in trouble keeps its reply and gives no sign of getting on.
//
// A batch names cells. It carries no command and no path: commands of foreign engines are those of the
// worker's command line. What arrives is bounded and checked on both sides.
package fleet
