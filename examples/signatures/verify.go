// Package webhooks verifies deliveries of webhooks: Standard Webhooks, with nothing but the standard library.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var errRefused = errors.New("the webhook request is not from the gateway, or too old")

// Verify returns an error unless the gateway signed this body within the last five minutes. The body has the bytes as
// they arrived: parsed JSON cannot be verified. The secret is whsec_ and what follows it.
func Verify(headers http.Header, body []byte, secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return fmt.Errorf("the secret of the webhook is not base64: %w", err)
	}
	id, sentAt := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return errRefused
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sentAt, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// There are several after the secret was replaced. hmac.Equal takes the same time wherever they differ.
	for _, one := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(one), expected) {
			return nil
		}
	}
	return errRefused
}
