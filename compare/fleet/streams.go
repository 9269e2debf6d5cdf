package fleet

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Names at the server.
const (
	jobsStream    = "CANONSCOPE_JOBS"
	resultsStream = "CANONSCOPE_RESULTS"
	objects       = "canonscope"

	jobsSubject    = "canonscope.jobs."    // ENVIRONMENT.TAG.CAMPAIGN.BATCH
	resultsSubject = "canonscope.results." // CAMPAIGN.batch.BATCH, CAMPAIGN.cancelled

	// Without a stream: whoever is there hears them.
	beatSubject   = "canonscope.beat."   // CAMPAIGN
	cancelSubject = "canonscope.cancel." // CAMPAIGN
	pingSubject   = "canonscope.ping"
	drainSubject  = "canonscope.drain." // ENVIRONMENT
)

// Bounds of what the server keeps and carries.
const (
	kept       = 30 * 24 * time.Hour // replies that no submitter reads, batches that no worker takes
	maxPayload = 8 << 20
	maxInline  = 256 << 10 // bytes of a reply that needs no object
)

// name is that of an environment, a campaign or a batch: one token of a subject.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// CheckEnvironment returns an error if this cannot be the name of an environment.
func CheckEnvironment(env string) error {
	if !name.MatchString(env) {
		return fmt.Errorf("environment %q: its name is at most 40 small letters, digits and dashes", env)
	}
	return nil
}

// setUp makes the streams that are not there yet.
func (c *Conn) setUp(ctx context.Context) error {
	c.streams = make(map[string]jetstream.Stream)
	for _, cfg := range []jetstream.StreamConfig{
		{Name: jobsStream, Subjects: []string{jobsSubject + ">"}, Retention: jetstream.WorkQueuePolicy},
		{Name: resultsStream, Subjects: []string{resultsSubject + ">"}},
	} {
		cfg.Storage, cfg.Discard, cfg.MaxMsgSize = jetstream.FileStorage, jetstream.DiscardNew, maxPayload/2
		cfg.MaxAge, cfg.AllowDirect = kept, true
		stream, err := c.js.Stream(ctx, cfg.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			stream, err = c.js.CreateStream(ctx, cfg)
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by now
			stream, err = c.js.Stream(ctx, cfg.Name)
		}
		if err != nil {
			return err
		}
		c.streams[cfg.Name] = stream
	}
	_, err := c.js.ObjectStore(ctx, objects)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: objects, TTL: kept})
	}
	return err
}

// tag is the part of a binary's SHA-256 that is in subjects.
func tag(binary string) string { return binary[:min(16, len(binary))] }
