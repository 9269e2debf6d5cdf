package fleet

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/nats-io/nats.go"
)

// An object is no larger than it may be, whatever size its sender states.
func TestObjectOfAnotherSize(t *testing.T) {
	s, err := Serve(ServerOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, err := Connect(t.Context(), Access{URL: s.URL()}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)

	b := bytes.Repeat([]byte("x"), 1000)
	if err := c.put(t.Context(), "a", b); err != nil {
		t.Fatal(err)
	}
	if got, err := c.object(t.Context(), "a", len(b)); err != nil || !bytes.Equal(got, b) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if _, err := c.object(t.Context(), "a", len(b)-1); err == nil {
		t.Error("an object that is too large is read")
	}

	subject := "$O." + objects + ".M." + base64.URLEncoding.EncodeToString([]byte("a"))
	stream, err := c.js.Stream(t.Context(), "OBJ_"+objects)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.GetLastMsgForSubject(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	var info map[string]any
	if err := json.Unmarshal(msg.Data, &info); err != nil {
		t.Fatal(err)
	}
	info["size"] = 10
	text, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	lie := &nats.Msg{Subject: subject, Data: text, Header: nats.Header{"Nats-Rollup": {"sub"}}}
	if _, err := c.js.PublishMsg(t.Context(), lie); err != nil {
		t.Fatal(err)
	}
	if got, err := c.object(t.Context(), "a", 100); err == nil {
		t.Errorf("%d bytes of an object that states 10 are read", len(got))
	}
}
