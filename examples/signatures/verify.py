"""Verifies deliveries of webhooks: Standard Webhooks, with nothing but the standard library."""
import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def verify(headers, body, secret):
    """Raises ValueError unless the gateway signed this body within the last five minutes.

    headers: a mapping that ignores the case of names, as that of Flask, Django or FastAPI, or has them in lower case
    body: the bytes as they arrived: parsed JSON cannot be verified
    secret: whsec_ and what follows it
    """
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    message_id, sent_at, signatures = (headers.get(name) or "" for name in names)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # There are several after the secret was replaced. compare_digest takes the same time wherever they differ.
    is_signed = any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" "))
    is_recent = sent_at.isdecimal() and abs(time.time() - int(sent_at)) <= TOLERANCE_SECONDS
    if not (is_signed and is_recent):
        raise ValueError("The webhook request is not from the gateway, or too old")
